"""Our test BMC read by other Redfish clients, and another Redfish server read by clusterc.

usage: redfish_peers.py CLUSTERC SOURCE WORK PROGRAM     (PROGRAM: what scripts/redfish-peers made; its Python runs this)
"""
import collections
import json
import os
import socket
import subprocess
import sys
import time

clusterc, source, work, program = sys.argv[1:5]
sys.path.insert(0, os.path.join(source, "tests"))
import redfish  # noqa: E402
import sushy    # noqa: E402
from redfish_server import PASSWORD, ROOT, USER, Bmc, Server, load_tree, make_certificates  # noqa: E402

HOST = "127.0.0.1"


def equal(what, got, wanted):
    if got != wanted:
        sys.exit(f"FAILED: {what}: {got}, wanted {wanted}")


def read_by_sushy(server, bmc):
    ca = os.path.join(server.folder, "ca.pem")
    login, logouts = sushy.auth.SessionAuth(USER, PASSWORD), bmc.logouts
    root = sushy.Sushy(f"https://{HOST}:{server.port}", auth=login, verify=ca)
    system, = root.get_system_collection().get_members()
    equal("sushy: system", (system.manufacturer, system.model, system.bios_version, system.sku), ("Example", "Two Sockets", "1.4.2", "EX-2"))
    processors = system.processors.get_members()
    equal("sushy: processors", collections.Counter((p.processor_type.value, p.model) for p in processors),
          {("CPU", "Intel(R) Xeon(R) Platinum 8462Y+"): 2, ("GPU", "NVIDIA H100 PCIe 80GB"): 2})
    equal("sushy: drives", [d.capacity_bytes for s in system.storage.get_members() for d in s.drives], [1920383410176] * 2)
    chassis, = root.get_chassis_collection().get_members()
    equal("sushy: adapters", sorted(a.model for a in chassis.network_adapters.get_members()), ["ConnectX-7", "X550"])
    manager, = root.get_manager_collection().get_members()
    equal("sushy: firmware of the BMC", manager.firmware_version, "2.10")
    try:
        sushy.Sushy(f"https://{HOST}:{server.port}", auth=sushy.auth.SessionAuth(USER, "wrong"), verify=ca).get_system_collection()
    except sushy.exceptions.AccessError:
        pass
    else:
        sys.exit("FAILED: sushy read the systems with a wrong password")
    login.close()   # else sushy does it when its program ends, and the server is gone
    equal("sushy: sessions ended", (bmc.logouts, bmc.tokens), (logouts + 1, set()))


def read_by_dmtf(server, bmc, tree):
    client = redfish.redfish_client(base_url=f"https://{HOST}:{server.port}", username=USER, password=PASSWORD,
                                    cafile=os.path.join(server.folder, "ca.pem"), default_prefix=ROOT, max_retry=1)
    logouts = bmc.logouts
    client.login(auth="session")
    seen, queue = set(), [ROOT]
    while queue:
        path = queue.pop()
        if path in seen or path.startswith(ROOT + "/SessionService"):
            continue
        seen.add(path)
        answer = client.get(path)
        equal(f"redfish: {path}", answer.status, 200)
        resource = answer.dict
        equal(f"redfish: @odata.id of {path}", resource["@odata.id"], path)
        needs = {"Name"} if "Members" in resource else {"Name", "Id"}   # DSP0266, 9.5: every resource has them
        equal(f"redfish: {path} lacks", needs - set(resource), set())
        stack = [resource]
        while stack:
            one = stack.pop()
            stack += one.values() if isinstance(one, dict) else one if isinstance(one, list) else []
            if isinstance(one, dict) and one.get("@odata.id", "").startswith("/redfish/"):
                queue.append(one["@odata.id"].rstrip("/"))
    equal("redfish: resources that no link leads to", {p for p in tree if p not in seen and not p.startswith(ROOT + "/SessionService")}, set())
    client.logout()
    equal("redfish: sessions ended", bmc.logouts, logouts + 1)


def emulator_read():
    """The emulator's own answer to Storage is an error of the server: clusterc says so, and compares the rest."""
    folder = os.path.join(work, "emulator")
    os.makedirs(folder)
    make_certificates(folder)
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    with open(os.path.join(folder, "users"), "wb") as file:
        import bcrypt
        file.write(USER.encode() + b":" + bcrypt.hashpw(b"secret", bcrypt.gensalt(4)) + b"\n")
    with open(os.path.join(folder, "conf.py"), "w", encoding="utf-8") as file:
        file.write(f"""SUSHY_EMULATOR_LISTEN_IP = "{HOST}"
SUSHY_EMULATOR_LISTEN_PORT = {port}
SUSHY_EMULATOR_SSL_CERT = "{folder}/bmc.pem"
SUSHY_EMULATOR_SSL_KEY = "{folder}/bmc.key"
SUSHY_EMULATOR_AUTH_FILE = "{folder}/users"
SUSHY_EMULATOR_STATE_DIR = "{folder}"
SUSHY_EMULATOR_FAKE_SYSTEMS = [{{"uuid": "da69abcc-dae0-4913-9a7b-d344043097c0", "name": "n1", "power_state": "Off", "nics": []}}]
""")
    with open(os.path.join(folder, "log"), "w", encoding="utf-8") as log:
        emulator = subprocess.Popen([os.path.join(program, "bin/sushy-emulator"), "--fake", "--config", os.path.join(folder, "conf.py")], stdout=log, stderr=log,
                                    env={**os.environ, "HOME": folder})
    try:
        for _ in range(300):
            try:
                socket.create_connection((HOST, port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        with open(os.path.join(folder, "bmcs"), "w", encoding="utf-8") as file:
            file.write(f"n1 {HOST}:{port}\n")

        def audit(password, ca="ca.pem"):
            with open(os.path.join(folder, "password"), "w", encoding="utf-8") as file:
                file.write(password)
            os.chmod(os.path.join(folder, "password"), 0o600)
            done = subprocess.run([clusterc, "audit", os.path.join(source, "tests/audit/redfish/small.yaml"), "--redfish", os.path.join(folder, "bmcs"), "--user", USER,
                                   "--password-file", os.path.join(folder, "password"), "--ca", os.path.join(folder, ca), "--format", "json"],
                                  capture_output=True, text=True, timeout=120, check=False)
            return done.returncode, json.loads(done.stdout)

        status, told = audit("secret")
        words = " ".join(f["message"] for f in told["findings"])
        with open(os.path.join(folder, "log"), encoding="utf-8") as file:
            asked = file.read()
        for path in ("/Systems/da69abcc-dae0-4913-9a7b-d344043097c0 ", "/Chassis/", "/Managers/da69abcc-dae0-4913-9a7b-d344043097c0 "):
            equal(f"emulator: {path} was read", f"GET {ROOT}{path}" in asked and " 401 " not in asked.split(f"GET {ROOT}{path}")[1].splitlines()[0], True)
        equal("emulator: status", status, 1)
        equal("emulator: the server is off", "power state 'Off'" in words, True)
        equal("emulator: its error of Storage is named", "/Storage answers HTTP 500" in words, True)
        status, told = audit("wrong")
        equal("emulator: wrong password", (status, [f["rule"] for f in told["findings"]]), (2, ["audit-bmc-unread"]))
        os.makedirs(os.path.join(folder, "other"))
        make_certificates(os.path.join(folder, "other"))
        status, told = audit("secret", "other/ca.pem")
        equal("emulator: certificate of another authority", (status, [f["rule"] for f in told["findings"]]), (2, ["audit-bmc-unread"]))
    finally:
        emulator.terminate()
        emulator.wait(10)


def main():
    tree = load_tree(os.path.join(source, "tests/audit/redfish/small.json"))
    with Server(os.path.join(work, "tls")) as server:
        bmc = server.bmcs[HOST] = Bmc(tree)
        read_by_sushy(server, bmc)
        read_by_dmtf(server, bmc, tree)
    print("ok: sushy and redfish read the BMC of the tests")
    emulator_read()
    print("ok: clusterc reads the emulator of sushy-tools")


main()
