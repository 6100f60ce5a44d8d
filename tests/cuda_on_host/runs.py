"""What the validators run on the emulation, and what makes a run a failure: used by check.py and mutate.py."""
import json
import os
import shutil
import signal
import subprocess
import tempfile

CUDA = ["--device", "cuda", "--allow-busy"]
# What a sanitizer or the emulation says of a fault.
FAULTS = ("emulated CUDA: fault", "ERROR: AddressSanitizer", "runtime error:", "WARNING: ThreadSanitizer", "emulated NCCL:")
TSAN_SUPPRESSIONS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tsan.supp")


class Case:
    """One command: a program, its arguments, ranks under mpirun. `measurements`: how many it has to print; `unwritten`: words of device memory
    that nobody writes (None: any); `slow`: not in CTest; `faulty`: its fault build is run, too; `loses`: its library loses an element, which every
    measurement must find."""

    def __init__(self, name, program, arguments, measurements, ranks=0, unwritten=0, slow=False, gpus=2, faulty=False, loses=False):
        self.name, self.program, self.arguments, self.measurements, self.loses = name, program, arguments, measurements, loses
        self.ranks, self.unwritten, self.slow, self.gpus, self.faulty = ranks, unwritten, slow, gpus, faulty


HPL = ["--block", "16", "--threads", "1", "--iterations", "1"]
CASES = [
    Case("memory", "memory", ["--size", "40KiB", "--iterations", "2", "--warmup", "1"], 8, faulty=True),
    Case("memory, two elements", "memory", ["--size", "16B", "--iterations", "1", "--warmup", "0"], 8),
    Case("memtest", "memtest", ["--size", "64KiB", "--hold", "0.01"], 12, faulty=True),
    # The workspace of a product, 32 MiB, is the library's, and stays as it is.
    Case("gemm", "gemm", ["--size", "32", "--iterations", "1", "--warmup", "0", "--algorithms", "1"], 7, unwritten=None, gpus=1, faulty=True),
    Case("pcie", "pcie", ["--size", "64KiB", "--iterations", "2"], None, faulty=True),
    Case("nvlink", "nvlink", ["--size", "64KiB", "--iterations", "2"], None, faulty=True),
    # Without NVSwitches a GPU accesses eight others at a time.
    Case("nvlink, ten GPUs", "nvlink", ["--size", "4KiB", "--iterations", "1", "--warmup", "0"], None, gpus=10),
    Case("burn", "burn", ["--seconds", "2"], 2, unwritten=None, slow=True),
    # Panels and vectors of a rank have room that small systems do not use.
    Case("hpl", "hpl", ["--size", "150"] + HPL, 1, ranks=1, unwritten=None),
    Case("hpl, 1 x 2", "hpl", ["--size", "83", "--rows", "1", "--columns", "2"] + HPL, 1, ranks=2, unwritten=None, faulty=True),
    # From this order on its products are timed alone.
    Case("hpl, products alone", "hpl", ["--size", "512", "--block", "64", "--threads", "1", "--iterations", "1"], None, ranks=1, unwritten=None),
    Case("hpl, fp16, products alone", "hpl", ["--size", "512", "--block", "64", "--threads", "1", "--iterations", "1", "--precision", "fp16"], None,
         ranks=1, unwritten=None),
    Case("hpl, 2 x 1", "hpl", ["--size", "83", "--rows", "2", "--columns", "1"] + HPL, 1, ranks=2, unwritten=None),
    Case("hpl, fp16", "hpl", ["--size", "150", "--precision", "fp16"] + HPL, 1, ranks=1, unwritten=None),
    Case("hpl, bf16, 1 x 2", "hpl", ["--size", "83", "--rows", "1", "--columns", "2", "--precision", "bf16"] + HPL, 1, ranks=2, unwritten=None, faulty=True),
    Case("hpl, 2 x 2", "hpl", ["--size", "150", "--rows", "2", "--columns", "2"] + HPL, 1, ranks=4, unwritten=None, slow=True),
    Case("hpl, 3 x 1", "hpl", ["--size", "131", "--rows", "3", "--columns", "1"] + HPL, 1, ranks=3, unwritten=None, slow=True),
    Case("hpl, fp32, 2 x 1", "hpl", ["--size", "150", "--precision", "fp32"] + HPL, 1, ranks=2, unwritten=None, slow=True),
    Case("hpl, fp16, 2 x 2", "hpl", ["--size", "150", "--precision", "fp16"] + HPL, 1, ranks=4, unwritten=None, slow=True),
    Case("nccl", "nccl", ["--size", "256B", "--types", "float32,float64,int8,int32,int64,float16,bfloat16", "--iterations", "1", "--warmup", "0"], None, ranks=2, unwritten=None, faulty=True),
    # More elements than threads in a grid. Then the last one is that of the repetition before where the poison does not reach it.
    Case("nccl, more than a grid", "nccl", ["--size", "1025KiB", "--types", "int8", "--collectives", "broadcast", "--placements", "out-of-place",
                                            "--iterations", "1", "--warmup", "0"], None, ranks=2, unwritten=None),
    Case("nccl, an element lost", "nccl", ["--size", "1025KiB", "--types", "int8", "--collectives", "broadcast", "--placements", "out-of-place",
                                           "--iterations", "2", "--warmup", "0"], None, ranks=2, unwritten=None, loses=True),
    Case("nccl, all types", "nccl", ["--max-size", "512B", "--types", "float32,float64,int8,int32,int64,float16,bfloat16", "--iterations", "1",
                                     "--warmup", "0"], None, ranks=2, unwritten=None, slow=True),
    Case("nccl, three ranks", "nccl", ["--size", "1KiB", "--iterations", "2", "--warmup", "1"], None, ranks=3, unwritten=None, gpus=4, slow=True),
]


def environment(libraries, seed, gpus, report):
    out = dict(os.environ)
    out.update({
        "LD_LIBRARY_PATH": libraries, "EMULATED_CUDA_SEED": str(seed), "EMULATED_GPUS": str(gpus), "EMULATED_CUDA_REPORT": report, "FAKE_NVML_COOL": "1",
        "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        "TSAN_OPTIONS": "halt_on_error=1:suppressions=" + TSAN_SUPPRESSIONS, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_mpi_yield_when_idle": "1",
        "OPENBLAS_NUM_THREADS": "1"})
    return out


def run(command, env, seconds):
    """Status (None: it was ended), standard output, standard error. The whole process group ends with it."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, text=True, errors="replace", start_new_session=True)
    try:
        out, err = process.communicate(timeout=seconds)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return None, out, err


def fault_in(text):
    """The first line in which a sanitizer or the emulation names a fault, with its kind alone."""
    for line in text.splitlines():
        for fault in FAULTS:
            if fault in line:
                return line[line.index(fault):].strip()
    return ""


def wrong_records(case, out, damaged):
    """What is wrong with the records of a run, or ''. `damaged`: a fault build, whose every measurement must have found something."""
    records = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    if not records or records[-1].get("record") != "end":
        return "no end record"
    if records[-1]["status"] != "done":
        return "ended as " + " ".join(str(records[-1].get(k, "")) for k in ("status", "reason", "detail"))
    measured = [r for r in records if r["record"] == "measurement"]
    if not measured or (case.measurements is not None and len(measured) != case.measurements):
        return f"{len(measured)} measurements, not {case.measurements}"
    for r in measured:
        if not damaged and (r.get("wrong") or not r.get("data_verified", True)):
            return f"{r['metric']}: {r['wrong']} wrong of {r['checked']}"
        if damaged and "wrong" in r and not r["wrong"]:
            return f"{r['metric']}: a flipped bit was not found"
        if not r["value"] > 0:
            return f"{r['metric']}: value {r['value']}"
    return ""


def problem(folder, case, kind="asan", seed=1, damaged=False, seconds=120, reports=None, libraries=None):
    """Runs a case; '' where all is as it should be. `reports` gets what the emulation says of its processes. `libraries`: the folder of the
    stand-ins, where it is not that of the program."""
    program = os.path.join(folder, f"clusterc-{case.program}-emulated{'-tsan' if kind == 'tsan' else ''}{'-faulty' if damaged else ''}")
    command = [program] + CUDA + case.arguments
    if case.ranks:
        command = ["mpirun", "-n", str(case.ranks)] + command
    scratch = tempfile.mkdtemp(prefix="clusterc-emulated-")
    try:
        report = os.path.join(scratch, "report")
        env = environment(libraries or folder, seed, case.gpus, report)
        if case.loses:
            env["EMULATED_NCCL_LOSES"] = "1"
            damaged = True
        status, out, err = run(command, env, seconds)
        found = []
        if os.path.exists(report):
            with open(report, encoding="utf-8") as f:
                found = [json.loads(line) for line in f]
        if reports is not None:
            reports.append((program, found))
    finally:
        shutil.rmtree(scratch)
    fault = fault_in(err) or fault_in(out)
    if fault:
        return fault
    if status is None:
        return f"no end after {seconds} s"
    wrong = wrong_records(case, out, damaged)
    if wrong:
        return wrong
    if status != (1 if damaged else 0):
        return f"exit status {status}"
    unwritten = sum(r["unwritten"] for r in found)
    if case.unwritten is not None and unwritten != case.unwritten:
        return f"{unwritten} words were never written"
    return ""


def kernels_problem(folder, kind="asan", test_filter="*DeviceCode*", seconds=300, libraries=None, reports=None):
    """The kernels one by one (device_code_test.cc)."""
    program = os.path.join(folder, "device_code_test_" + kind)
    command = [program, "--gtest_brief=1", "--gtest_filter=" + test_filter]
    scratch = tempfile.mkdtemp(prefix="clusterc-emulated-")
    try:
        env = environment(libraries or folder, 1, 2, os.path.join(scratch, "report"))
        env["UBSAN_OPTIONS"] = "print_stacktrace=1"
        status, out, err = run(command, env, seconds)
        if reports is not None and os.path.exists(os.path.join(scratch, "report")):
            with open(os.path.join(scratch, "report"), encoding="utf-8") as f:
                reports.append((program, [json.loads(line) for line in f]))
    finally:
        shutil.rmtree(scratch)
    fault = fault_in(err) or fault_in(out)
    if fault:
        return fault
    failed = [line for line in out.splitlines() if line.startswith("[  FAILED  ]") and "/" in line]
    if failed:
        return "device_code_test: " + failed[0].split("Seed/DeviceCode.")[-1].split("/")[0]
    return "" if status == 0 else f"device_code_test: exit status {status}"


def emulation_problem(folder, kind, seconds=300):
    """The tests of the emulation itself (emulation_test.cc), which make faults: their status alone says whether these were noticed."""
    command = [os.path.join(folder, "device_code_test_" + kind), "--gtest_brief=1", "--gtest_filter=Emulation*"]
    status, out, err = run(command, environment(folder, 1, 2, os.devnull), seconds)
    return "" if status == 0 else f"exit status {status}: " + (out + err)[-500:]
