#!/usr/bin/env python3
"""A reader of what output beegfs writes, after the settings that BeeGFS documents in the files of its packages, releases 7.4.6 and 8.3.1, and in the command-line
interface of its tools. It shares no code with the writer. BeeGFS's services end with an error at a setting that they do not know; so does this. It compares servers
with each other, with the mounts of clients and with hosts.

usage: beegfs.py TREE
"""
import glob
import ipaddress
import os
import re
import shlex
import sys
import tomllib

# NAME:KIND[:RELEASE]; b: true or false, n: a number, t: text
SETTINGS = {
    "mgmtd": """
        connAuthFile:t connBacklogTCP:n connDisableAuthentication:b connInterfacesFile:t connInterfacesList:t connMgmtdPortTCP:n connMgmtdPortUDP:n
        connNetFilterFile:t connNoDefaultRoute:t connPortShift:n connRestrictOutboundInterfaces:b logLevel:n logNoDate:b logNumLines:n logNumRotatedFiles:n
        logStdFile:t logType:t pidFile:t quotaEnableEnforcement:b quotaQueryGIDFile:t quotaQueryGIDRange:t quotaQueryType:t quotaQueryUIDFile:t
        quotaQueryUIDRange:t quotaQueryWithSystemUsersGroups:b quotaStoreIntervalMin:n quotaUpdateIntervalMin:n runDaemonized:b storeAllowFirstRunInit:b
        storeMgmtdDirectory:t sysAllowNewServers:b sysAllowNewTargets:b sysTargetOfflineTimeoutSecs:n tuneClientAutoRemoveMins:n tuneMetaDynamicPools:b
        tuneMetaInodesEmergencyLimit:t tuneMetaInodesLowLimit:t tuneMetaSpaceEmergencyLimit:t tuneMetaSpaceLowLimit:t tuneNumQuotaWorkers:n tuneNumWorkers:n
        tuneProcessFDLimit:n tuneStorageDynamicPools:b tuneStorageInodesEmergencyLimit:t tuneStorageInodesLowLimit:t tuneStorageSpaceEmergencyLimit:t
        tuneStorageSpaceLowLimit:t""",
    "meta": """
        connAuthFile:t connBacklogTCP:n connDisableAuthentication:b connDisableIPv6:b:8 connFallbackExpirationSecs:n connInterfacesFile:t connInterfacesList:t
        connMaxInternodeNum:n connMessagingTimeouts:t connMetaPort:n:8 connMetaPortTCP:n:7 connMetaPortUDP:n:7 connMgmtdPort:n:8 connMgmtdPortTCP:n:7
        connMgmtdPortUDP:n:7 connNetFilterFile:t connNoDefaultRoute:t connPortShift:n connRDMABufNum:t connRDMABufSize:t connRDMATimeouts:t
        connRDMATypeOfService:n connRestrictOutboundInterfaces:b connTcpOnlyFilterFile:t connTCPRcvBufSize:n connUDPRcvBufSize:n connUseRDMA:b logLevel:n
        logNoDate:b logNumLines:n logNumRotatedFiles:n logStdFile:t logType:t pidFile:t quotaEarlyChownResponse:b quotaEnableEnforcement:b runDaemonized:b
        storeAllowFirstRunInit:b storeClientACLs:b storeClientXAttrs:b storeFsUUID:t storeMetaDirectory:t storeSelfHealEmptyFiles:b storeUseExtendedAttribs:b
        sysAllowUserSetPattern:b sysFileEventLogTarget:t sysFileEventPersistDirectory:t:8 sysFileEventPersistSize:n:8 sysMgmtdHost:t sysTargetAttachmentFile:t
        sysTargetOfflineTimeoutSecs:n tuneBindToNumaZone:t tuneChunkBalanceLockingTimeLimit:n:8 tuneChunkBalanceQueueLimit:n:8 tuneCommSlaveBufSize:t
        tuneDefaultChunkSize:t tuneDefaultNumStripeTargets:t tuneDirMetadataCacheLimit:n tuneDisposalGCPeriod:n tuneEarlyUnlinkResponse:b
        tuneListenerNumaAffinity:b tuneListenerPrioShift:t tuneLockGrantNumRetries:t tuneLockGrantWaitMS:t tuneMirrorTimestamps:b tuneNumCommSlaves:n
        tuneNumResyncSlaves:n tuneNumStreamListeners:n tuneNumWorkers:n tuneProcessFDLimit:n tuneRotateMirrorTargets:b tuneTargetChooser:t
        tuneUseAggressiveStreamPoll:b tuneUsePerUserMsgQueues:b tuneWorkerBufSize:t tuneWorkerNumaAffinity:b""",
    "storage": """
        connAuthFile:t connBacklogTCP:n connDisableAuthentication:b connDisableIPv6:b:8 connFallbackExpirationSecs:n connInterfacesFile:t connInterfacesList:t
        connMaxInternodeNum:n connMessagingTimeouts:t connMgmtdPort:n:8 connMgmtdPortTCP:n:7 connMgmtdPortUDP:n:7 connNetFilterFile:t connNoDefaultRoute:t
        connPortShift:n connRDMABufNum:t connRDMABufSize:t connRDMATimeouts:t connRDMATypeOfService:n connRestrictOutboundInterfaces:b connStoragePort:n:8
        connStoragePortTCP:n:7 connStoragePortUDP:n:7 connTcpOnlyFilterFile:t connTCPRcvBufSize:n connUDPRcvBufSize:n connUseRDMA:b logLevel:n logNoDate:b
        logNumLines:n logNumRotatedFiles:n logStdFile:t logType:t pidFile:t quotaDisableZfsSupport:b quotaEnableEnforcement:b runDaemonized:b
        storeAllowFirstRunInit:b storeFsUUID:t storeStorageDirectory:t sysMgmtdHost:t sysResyncSafetyThresholdMins:n sysTargetOfflineTimeoutSecs:n
        tuneBindToNumaZone:t tuneChunkBalanceQueueLimit:n:8 tuneDirCacheLimit:n tuneEarlyStat:b tuneFileReadAheadSize:t tuneFileReadAheadTriggerSize:t
        tuneFileReadSize:t tuneFileWriteSize:t tuneFileWriteSyncSize:t tuneListenerNumaAffinity:b tuneListenerPrioShift:t tuneNumResyncGatherSlaves:n
        tuneNumResyncSlaves:n tuneNumStreamListeners:n tuneNumWorkers:n tuneProcessFDLimit:n tuneUseAggressiveStreamPoll:b tuneUsePerTargetWorkers:b
        tuneUsePerUserMsgQueues:b tuneWorkerBufSize:t tuneWorkerNumaAffinity:b""",
    "client": """
        connAuthFile:t connClientPort:n:8 connClientPortUDP:n:7 connCommRetrySecs:n connDisableAuthentication:b connDisableIPv6:b:8
        connFallbackExpirationSecs:n connHelperdPortTCP:n:7 connInterfacesFile:t connInterfacesList:t connMaxConcurrentAttempts:n connMaxInternodeNum:n
        connMessagingTimeouts:t:7 connMgmtdPort:n:8 connMgmtdPortTCP:n:7 connMgmtdPortUDP:n:7 connNetFilterFile:t connPortShift:n connRDMABufNum:n
        connRDMABufSize:n connRDMAFragmentSize:t connRDMAInterfacesFile:t connRDMAKeyType:t connRDMAMetaBufNum:t connRDMAMetaBufSize:t
        connRDMAMetaFragmentSize:t connRDMATimeouts:t connRDMATypeOfService:n connTCPFallbackEnabled:b connTcpOnlyFilterFile:t connTCPRcvBufSize:n
        connUDPRcvBufSize:n connUnmountRetries:b connUseRDMA:b logClientID:b logHelperdIP:t:7 logLevel:n logType:t:7 quotaEnabled:b sysACLsEnabled:b
        sysACLsRevalidate:t:8 sysBypassFileAccessCheckOnMeta:b:8 sysCacheInvalidationVersion:b:8 sysCreateHardlinksAsSymlinks:b sysFileEventLogMask:t
        sysInodeIDStyle:t sysMgmtdHost:t sysMountSanityCheckMS:n sysRenameEbusyAsXdev:b sysSELinuxEnabled:b:8 sysSELinuxRevalidate:t:8
        sysSessionCheckOnClose:b sysSessionChecksEnabled:b sysSyncOnClose:b sysTargetOfflineTimeoutSecs:n sysUpdateTargetStatesSecs:n
        sysXAttrsCheckCapabilities:t sysXAttrsEnabled:b tuneCoherentBuffers:b tuneDirSubentryCacheValidityMS:n tuneEarlyCloseResponse:b
        tuneENOENTCacheValidityMS:n tuneFileCacheBufNum:t tuneFileCacheBufSize:n tuneFileCacheType:t tuneFileOpenRetryIntervalMS:n:8
        tuneFileOpenRetryTimeoutMS:n:8 tuneFileSubentryCacheValidityMS:n tuneInodeBlockBits:n tuneMsgBufNum:t tuneMsgBufSize:n tunePageCacheValidityMS:n
        tunePathBufNum:n tunePathBufSize:n tunePreferredMetaFile:t tunePreferredStorageFile:t tuneRefreshOnGetAttr:b tuneRemoteFSync:b tuneStatFsCacheSecs:n
        tuneUseBufferedAppend:b tuneUseGlobalAppendLocks:b tuneUseGlobalFileLocks:b""",
}
# beegfs-mgmtd.toml of 8.3.1; it refuses other names (deny_unknown_fields)
MANAGER = {"db-file": str, "log-target": str, "log-level": str, "beemsg-port": int, "grpc-port": int, "tls-disable": bool, "tls-cert-file": str, "tls-key-file": str,
           "interfaces": list, "ipv6-disable": bool, "connection-limit": int, "auth-disable": bool, "auth-file": str, "registration-disable": bool,
           "node-offline-timeout": str, "client-auto-remove-timeout": str, "license-cert-file": str, "license-lib-file": str, "max-blocking-threads": int,
           "quota-enable": bool, "quota-enforce": bool, "quota-update-interval": str}
SHAPES = {"b": "true|false", "n": r"-?[0-9]+", "t": r"\S.*"}


def fail(text):
    print(f"beegfs.py: {text}", file=sys.stderr)
    sys.exit(1)


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [line.split("#")[0].strip() for line in f if line.split("#")[0].strip()]


def read_settings(path, service, release):
    known = {}
    for entry in SETTINGS[service].split():
        name, kind, *only = entry.split(":")
        if not only or int(only[0]) == release:
            known[name] = kind
    out = {}
    for line in lines(path):
        name, assigned, value = (part.strip() for part in line.partition("="))
        if not assigned or name not in known:
            fail(f"{path}: release {release} has no setting {name}")
        if name in out:
            fail(f"{path}: {name} twice")
        if not re.fullmatch(SHAPES[known[name]], value):
            fail(f"{path}: {name} = {value}")
        out[name] = value
    if out.get("connDisableAuthentication", "false") != "false" or not out.get("connAuthFile", "").startswith("/"):
        fail(f"{path}: connections are not authenticated")
    if service != "client" and out.get("storeAllowFirstRunInit") != "false":
        fail(f"{path}: an empty folder, as of a file system that is not mounted, would be taken for a new one")
    return out


def read_manager(path, quotas):
    with open(path, "rb") as f:
        found = tomllib.load(f)
    for name, value in found.items():
        if name not in MANAGER or not isinstance(value, MANAGER[name]) or isinstance(value, bool) != (MANAGER[name] is bool):
            fail(f"{path}: {name} = {value}")
    if found.get("auth-disable") or found.get("tls-disable"):
        fail(f"{path}: anybody is let in")
    if quotas != bool(found.get("quota-enforce") and found.get("quota-enable")):
        fail(f"{path}: quotas of teams are not enforced, or enforced without any")
    return found


def port(settings, name, release):
    if release == 8:
        return settings.get(name)
    if settings.get(name + "TCP") != settings.get(name + "UDP"):
        fail(f"{name}: TCP and UDP differ")
    return settings.get(name + "TCP")


def read_prepare(path):
    """host -> [(kind, folder, server, target)]; each number once"""
    out, seen = {}, set()
    for line in lines(path):
        words = shlex.split(line) if re.match(r"target\s", line) and "{" not in line else []
        if len(words) != 6:
            continue
        _, host, kind, folder, server, target = words
        if not all(n.isdigit() and 1 <= int(n) <= 65535 for n in (server, target)):
            fail(f"{path}: numbers of {host}: {server} {target}")
        if (kind, target) in seen or any(k == kind and s != server for k, _, s, _ in out.get(host, [])):
            fail(f"{path}: {kind} {target} twice, or {host} with two numbers")
        if any(k == kind and s == server for h, rows in out.items() if h != host for k, _, s, _ in rows):
            fail(f"{path}: {kind} server {server} is two machines")
        seen.add((kind, target))
        out.setdefault(host, []).append((kind, folder, server, target))
    return out


def read_mirrors(path, prepared):
    numbers = set()
    for line in lines(path):
        found = re.fullmatch(r"group (meta|storage) (\d+) (\d+) (\d+)", line)
        if not found:
            continue
        kind, number, *pair = found.groups()
        where = []
        for target in pair:
            hosts = [h for h, rows in prepared.items() for k, _, _, t in rows if k == kind and t == target]
            if len(hosts) != 1 or (kind, target) in numbers:
                fail(f"{path}: {kind} target {target} is nowhere, or in two mirrors")
            numbers.add((kind, target))
            where += hosts
        if where[0] == where[1] or number != pair[0]:
            fail(f"{path}: both copies of mirror {number} are on {where[0]}, or it has another number")
    left = {(k, t) for rows in prepared.values() for k, _, _, t in rows if k != "mgmtd"} - numbers
    if left:
        fail(f"{path}: no mirror of {sorted(left)}")


def main(tree):
    folder = f"{tree}/beegfs"
    release = 7 if glob.glob(f"{folder}/*/beegfs-mgmtd.conf") else 8
    addresses = {}
    for line in lines(f"{tree}/hosts/hosts"):
        address, *names = line.split()
        for name in names:
            addresses.setdefault(name, set()).add(address)
    prepared_at = glob.glob(f"{folder}/*/prepare.sh")
    if len(prepared_at) != 1:
        fail("no prepare.sh, or several")
    prepared = read_prepare(prepared_at[0])
    managers = [(h, f) for h, rows in prepared.items() for k, f, _, _ in rows if k == "mgmtd"]
    if len(managers) != 1:
        fail(f"management services: {managers}")
    manager, manager_folder = managers[0]
    quotas = os.path.exists(os.path.join(os.path.dirname(prepared_at[0]), "quotas.sh"))
    mounted = set()
    for path in glob.glob(f"{tree}/cloud-init/*.user-data"):
        with open(path, encoding="utf-8") as f:
            mounted |= set(re.findall(r"sysMgmtdHost=([^,\"\s]+)", f.read()))
    told, secrets, ports, folders = set(), set(), {}, {}
    for path in sorted(glob.glob(f"{folder}/*/beegfs-*")):
        service = os.path.basename(path)[7:].split(".")[0]
        if path.endswith(".toml"):
            found = read_manager(path, quotas)
            secrets.add(found["auth-file"])
            ports.setdefault("connMgmtdPort", set()).add(str(found["beemsg-port"]))
            folders["mgmtd"] = os.path.dirname(found["db-file"])
            if not found["interfaces"]:
                fail(f"{path}: no interfaces")
            continue
        found = read_settings(path, service, release)
        secrets.add(found["connAuthFile"])
        ports.setdefault("connMgmtdPort", set()).add(port(found, "connMgmtdPort", release))
        if service != "mgmtd":
            told.add(found["sysMgmtdHost"])
        if (found.get("quotaEnabled" if service == "client" else "quotaEnableEnforcement", "false") == "true") != quotas:
            fail(f"{path}: quotas")
        folders[service] = found.get({"mgmtd": "storeMgmtdDirectory", "meta": "storeMetaDirectory", "storage": "storeStorageDirectory"}.get(service, ""), "")
        for name in ("connInterfacesFile", "connNetFilterFile", *(n for n in ("connRDMAInterfacesFile",) if n in found)):
            if not lines(os.path.join(os.path.dirname(path), os.path.basename(found[name]))):
                fail(f"{path}: {name} is empty: nobody could be reached")
    if len(secrets) != 1 or any(len(p) != 1 for p in ports.values()):
        fail(f"services have different secrets or ports: {secrets} {ports}")
    if len(told) != 1 or mounted - told:
        fail(f"services are told {told}, clients mount {mounted}")
    host = told.pop()
    if not addresses.get(host, {host}) & set().union(*(a for n, a in addresses.items() if n == manager or n.startswith(manager + "-"))):
        fail(f"{host} is not {manager}, where the management service is prepared")
    if folders.get("mgmtd") != manager_folder:
        fail(f"the management service has {folders.get('mgmtd')}, and {manager_folder} is prepared")
    for kind in ("meta", "storage"):
        for machine, rows in prepared.items():
            own = [f for k, f, _, _ in rows if k == kind]
            if own and ",".join(own) != folders[kind]:
                fail(f"{machine}: {kind} has {folders[kind]}, and {own} are prepared")
    for path in glob.glob(f"{folder}/*/cluster-net-filter"):
        nets = [ipaddress.ip_network(n) for n in lines(path)]
        for machine in (host, *prepared):
            own = set().union(*(a for n, a in addresses.items() if n == machine or n.startswith(machine + "-"))) or {machine}
            if not any(ipaddress.ip_address(a) in n for a in own for n in nets):
                fail(f"{path}: {machine} is in none of these subnets")
    for path in glob.glob(f"{folder}/*/mirrors.sh"):
        read_mirrors(path, prepared)
    for path in glob.glob(f"{folder}/**", recursive=True):
        if os.path.isfile(path) and re.search(r"conn\.auth", os.path.basename(path)):
            fail(f"{path}: a secret in the tree")
    print(f"beegfs.py: release {release}: {len(prepared)} servers, {sum(len(r) for r in prepared.values())} folders, told {host}")


if __name__ == "__main__":
    main(sys.argv[1])
