#!/usr/bin/env python3
"""nvidia-smi as far as MIG goes, for GPUs that are a file: what it prints and refuses is from NVIDIA's MIG user guide ("Getting Started with MIG").

$GPUS is JSON: a list of GPUs {at, kind: hopper|ampere|none, current, pending, gi: [{id, profile, ci: [name]}], pids: [..], held: bool, passthrough: bool}.
held: a monitor has the device open that is no process of any list. Calls that change something are lines of $GPUS.calls.
`nvidia_smi.py --start` is a start of the machine: instances go, and on Hopper the mode; `--new FILE KIND COUNT` writes a fresh list.
"""
import json
import os
import sys

# profile: slices of compute and memory of 7 and 8, and how many (80 GB: MIG user guide, A100 and H100 profiles)
PROFILES = {"1g.10gb": (1, 1, 7), "1g.20gb": (1, 2, 4), "2g.20gb": (2, 2, 3), "3g.40gb": (3, 4, 2), "4g.40gb": (4, 4, 1), "7g.80gb": (7, 8, 1), "1g.10gb+me": (1, 1, 1)}
IN_USE, NOT_FOUND, NOT_SUPPORTED, NO_ROOM = 19, 6, 3, 15   # nvml.h: NVML_ERROR_IN_USE and so on
FILE = os.environ.get("GPUS", "")


def load():
    with open(FILE, encoding="utf-8") as file:
        return json.load(file)


def save(gpus):
    with open(FILE, "w", encoding="utf-8") as file:
        json.dump(gpus, file)


def fail(code, *lines):
    print("\n".join(lines))
    sys.exit(code)


def chosen(gpus, arguments):
    if "-i" not in arguments:
        return list(enumerate(gpus))
    at = arguments[arguments.index("-i") + 1]
    found = [(i, g) for i, g in enumerate(gpus) if g["at"] == at or str(i) == at]
    if not found:
        fail(NOT_FOUND, "No devices were found")
    return found


def query(gpus, arguments):
    what = next(a for a in arguments if a.startswith("--query-gpu=")).split("=")[1]
    for _, g in chosen(gpus, arguments):
        words = {"pci.bus_id": g["at"], "mig.mode.current": g["current"], "mig.mode.pending": g["pending"]}
        print(", ".join(words[w] if g["kind"] != "none" or w == "pci.bus_id" else "[N/A]" for w in what.split(",")))


def pids(gpus, arguments):
    for _, g in chosen(gpus, arguments):
        print(f"GPU {g['at']}\n    Processes" + ("" if g["pids"] else "                             : None"))
        for pid in g["pids"]:
            for word, value in (("GPU instance ID", 7), ("Compute instance ID", 0), ("Process ID", pid), ("    Type", "C"), ("    Name", "./BlackScholes"), ("    Used GPU Memory", "253 MiB")):
                print(f"        {word:<34}: {value}")


def set_mode(gpus, arguments):
    wanted = "Enabled" if arguments[arguments.index("-mig") + 1] == "1" else "Disabled"
    word = "enable" if wanted == "Enabled" else "disable"
    for _, g in chosen(gpus, arguments):
        if g["kind"] == "none":
            fail(NOT_SUPPORTED, f"Unable to {word} MIG Mode for GPU {g['at']}: Not Supported")
        if g["gi"]:
            fail(IN_USE, f"Unable to {word} MIG Mode for GPU {g['at']}: In use by another client")
        g["pending"] = wanted
        if g["held"] or g["pids"]:
            print(f"Warning: MIG mode is in pending {word} state for GPU {g['at']}:In use by another client\n{g['at']} is currently being used by one or more other "
                  "processes (e.g. CUDA application or a monitoring application such as another instance of nvidia-smi). Please first kill all processes using "
                  "the device and retry the command or reboot the system to make MIG mode effective.")
        elif g["passthrough"]:
            print(f"Warning: MIG mode is in pending {word} state for GPU {g['at']}:Not Supported\n"
                  f"Reboot the system or try nvidia-smi --gpu-reset to make MIG mode effective on GPU {g['at']}")
        else:
            g["current"] = wanted
            print(f"{wanted} MIG Mode for GPU {g['at']}")
    print("All done.")


def lists(gpus, arguments):
    shown = [(i, g) for i, g in chosen(gpus, arguments) if g["current"] == "Enabled"]
    if not shown:
        fail(NOT_FOUND, "No MIG-enabled devices found.")
    whole = "-lgi" in arguments
    rows = []
    for i, g in shown:
        for gi in g["gi"]:
            if whole:
                rows.append(f"|{i:4}  MIG {gi['profile']:<15}  19{gi['id']:9}          {gi['id'] % 7}:1     |")
            rows += [] if whole else [f"|{i:4}{gi['id']:7}       MIG {name:<15}  0{k:10}          0:1     |" for k, name in enumerate(gi["ci"])]
    if not rows:
        fail(NOT_FOUND, f"No {'GPU' if whole else 'compute'} instances found: Not Found")
    if whole:
        print("+---------------------------------------------------------+\n| GPU instances:                                          |\n| GPU   Name               Profile  Instance   Placement  |\n"
              "|                            ID       ID       Start:Size |\n|=========================================================|")
    else:
        print("+--------------------------------------------------------------------+\n| Compute instances:                                                 |\n"
              "| GPU     GPU       Name             Profile   Instance   Placement  |\n|       Instance                       ID        ID       Start:Size |\n"
              "|         ID                                                         |\n|====================================================================|")
    for row in rows:
        print(row + "\n+---------------------------------------------------------+")


def create(gpus, arguments):
    for i, g in chosen(gpus, arguments):
        if g["current"] != "Enabled":
            fail(NOT_FOUND, "No MIG-enabled devices found.")
        for profile in arguments[arguments.index("-cgi") + 1].split(","):
            if profile not in PROFILES:
                fail(NOT_FOUND, f"Unable to find profile {profile} on GPU {i}: Not Found")
            have = [x["profile"] for x in g["gi"]] + [profile]
            compute, memory = (sum(PROFILES[p][k] for p in have) for k in (0, 1))
            if compute > 7 or memory > 8 or have.count(profile) > PROFILES[profile][2]:
                fail(NO_ROOM, f"Unable to create a GPU instance on GPU  {i} using profile {profile}: Insufficient Resources",
                     "Failed to create GPU instances: Insufficient Resources")
            gi = {"id": 7 + len(g["gi"]), "profile": profile, "ci": [profile] if "-C" in arguments else []}
            g["gi"].append(gi)
            save(gpus)
            print(f"Successfully created GPU instance ID {gi['id']:2} on GPU {i:2} using profile MIG {profile} (ID 19)")


def destroy(gpus, arguments):
    for i, g in chosen(gpus, arguments):
        for gi in list(g["gi"]):
            if "-dci" in arguments:
                if gi["ci"] and (g["held"] or g["pids"]):
                    fail(IN_USE, f"Unable to destroy compute instance ID  0 from GPU {i:2} GPU instance ID {gi['id']:2}: In use by another client",
                         "Failed to destroy compute instances: In use by another client")
                gi["ci"] = []
            elif gi["ci"]:
                fail(IN_USE, f"Unable to destroy GPU instance ID {gi['id']:2} from GPU {i:2}: In use by another client",
                     "Failed to destroy GPU instances: In use by another client")
            else:
                g["gi"].remove(gi)
            save(gpus)
            print(f"Successfully destroyed {'compute instance ID  0' if '-dci' in arguments else 'GPU instance ID %2d' % gi['id']} from GPU {i:2}")


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--new"]:
        new = {"kind": arguments[2], "current": "Disabled", "pending": "Disabled", "gi": [], "pids": [], "held": False, "passthrough": False}
        gpus = [{"at": f"00000000:{0x1B + 16 * i:02X}:00.0", **new} for i in range(int(arguments[3]))]
        with open(arguments[1], "w", encoding="utf-8") as file:
            json.dump(gpus, file)
        return
    gpus = load()
    if arguments == ["--start"]:
        for g in gpus:
            g["current"] = g["pending"] = g["pending"] if g["kind"] == "ampere" else "Disabled"
            g.update(gi=[], pids=[], held=False)
        save(gpus)
        return
    if any(a in ("-mig", "-cgi", "-dci", "-dgi") for a in arguments):
        with open(FILE + ".calls", "a", encoding="utf-8") as file:
            print(" ".join(arguments), file=file)
    if not gpus:
        fail(9, "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.")
    if any(a.startswith("--query-gpu=") for a in arguments):
        query(gpus, arguments)
    elif "PIDS" in arguments:
        pids(gpus, arguments)
    elif "-mig" in arguments:
        set_mode(gpus, arguments)
        save(gpus)
    elif "-lgi" in arguments or "-lci" in arguments:
        lists(gpus, arguments)
    elif "-cgi" in arguments:
        create(gpus, arguments)
    elif "-dci" in arguments or "-dgi" in arguments:
        destroy(gpus, arguments)
    elif arguments == ["-L"]:
        for i, g in enumerate(gpus):
            print(f"GPU {i}: NVIDIA H100 80GB HBM3 (UUID: GPU-{i})")
            for k, name in enumerate(name for gi in g["gi"] for name in gi["ci"]):
                print(f"  MIG {name:<11} Device {k:2}: (UUID: MIG-{i}-{k})")
    else:
        fail(2, "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.")


main()
