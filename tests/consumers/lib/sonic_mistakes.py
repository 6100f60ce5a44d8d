#!/usr/bin/env python3
"""Breaks a good config_db.json in each way that the judge (sonic_yang.py) must find, and asks the judge.

    sonic_mistakes.py MODELS YANGLINT… -- FILE…      every kind of mistake in the first of the files that has what it is about

Each twin must be refused, and for the reason that it was made with. Prints their number."""
import copy
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sonic_yang  # noqa: E402


def first(config, table):
    return next(iter(config[table].values()))


def port(config):
    return next(iter(config["PORT"].values()))


def two_ports(config):
    return list(config["PORT"].values())[:2]


def speed(c): port(c)["speed"] = "400G"
def mtu(c): port(c)["mtu"] = "92160"
def fec(c): port(c)["fec"] = "reed-solomon"
def admin_state(c): port(c)["admin_state"] = port(c).pop("admin_status")
def no_lanes(c): del port(c)["lanes"]
def number(c): port(c)["mtu"] = 9216
def same_alias(c): two_ports(c)[1]["alias"] = two_ports(c)[0]["alias"]
def same_lane(c): two_ports(c)[1]["lanes"] = two_ports(c)[0]["lanes"]
def map_that_is_not_there(c): first(c, "PORT_QOS_MAP")["dscp_to_tc_map"] = "ROCEE"
def profile_that_is_not_there(c): first(c, "QUEUE")["wred_profile"] = "ROCEE"
def qos_of_no_port(c): c["PORT_QOS_MAP"]["Ethernet9999"] = copy.deepcopy(first(c, "PORT_QOS_MAP"))
def address_of_no_port(c): c["INTERFACE"]["Ethernet9999"] = {}
def address_without_port(c): c["INTERFACE"].pop(next(r for r in c["INTERFACE"] if r + "|" in "".join(c["INTERFACE"])))
def bad_address(c): c["INTERFACE"][next(iter(c["PORT"])) + "|10.1.0.0.0/31"] = {}
def drop_probability(c): first(c, "WRED_PROFILE")["green_drop_probability"] = "105"
def max_below_min(c): first(c, "WRED_PROFILE")["green_max_threshold"] = "1"
def pfc_priority(c): first(c, "PORT_QOS_MAP")["pfc_enable"] = "9"
def code_point(c): first(c, "DSCP_TO_TC_MAP")["64"] = "3"
def traffic_class(c): first(c, "DSCP_TO_TC_MAP")["26"] = "33"
def watchdog_time(c): next(v for k, v in c["PFC_WD"].items() if k != "GLOBAL")["detection_time"] = "5"
def weight(c): first(c, "SCHEDULER")["weight"] = "250"
def table(c): c["PORTS"] = c.pop("PORT")
def type_(c): c["DEVICE_METADATA"]["localhost"]["type"] = "Leaf"
def asn(c): c["DEVICE_METADATA"]["localhost"]["bgp_asn"] = "65001x"
def routing_mode(c): c["DEVICE_METADATA"]["localhost"]["docker_routing_config_mode"] = "frr"
def cable(c): first(c, "CABLE_LENGTH")[next(iter(c["PORT"]))] = "30 m"
def cable_of_no_port(c): first(c, "CABLE_LENGTH")["Ethernet9999"] = "30m"
def gateway(c): first(c, "MGMT_INTERFACE")["gwaddr"] = "fe80::1"
def key_parts(c): c["LOOPBACK_INTERFACE"]["Loopback0|10.0.0.1/32|x"] = {}
def ntp(c): c["NTP_SERVER"]["10.0.0.300/24"] = {}
def access_without_action(c): del first(c, "ACL_RULE")["PACKET_ACTION"]
def access_without_services(c): del first(c, "ACL_TABLE")["services"]
def access_source(c): first(c, "ACL_RULE")["SRC_IP"] = "10.0.0.300/24"
def access_of_no_list(c): c["ACL_RULE"]["OTHER|RULE_1"] = copy.deepcopy(first(c, "ACL_RULE"))
def neighbour(c): first(c, "DEVICE_NEIGHBOR")["local_port"] = "Ethernet9999"


def bgp_of_no_port(c):
    c["BGP_NEIGHBOR"]["default|Ethernet99"] = c["BGP_NEIGHBOR"].pop("default|Ethernet0")


# what is done, tables that it needs, a word of the complaint
MISTAKES = [
    (speed, ["PORT"], "speed"), (mtu, ["PORT"], "mtu"), (fec, ["PORT"], "fec"), (admin_state, ["PORT"], "admin_state"), (no_lanes, ["PORT"], "lanes"),
    (number, ["PORT"], "is no text"), (same_alias, ["PORT"], "alias"), (same_lane, ["PORT"], "lane"), (map_that_is_not_there, ["PORT_QOS_MAP"], "ROCEE"),
    (profile_that_is_not_there, ["QUEUE", "WRED_PROFILE"], "ROCEE"), (qos_of_no_port, ["PORT_QOS_MAP"], "Ethernet9999"), (address_of_no_port, ["INTERFACE"], "Ethernet9999"),
    (address_without_port, ["INTERFACE"], "Must condition"), (bad_address, ["INTERFACE"], "ip-prefix"), (drop_probability, ["WRED_PROFILE"], "105"),
    (max_below_min, ["WRED_PROFILE"], "threshold"), (pfc_priority, ["PORT_QOS_MAP"], "pfc_enable"), (code_point, ["DSCP_TO_TC_MAP"], "DSCP"), (traffic_class, ["DSCP_TO_TC_MAP"], "Traffic Class"),
    (watchdog_time, ["PFC_WD"], "detection_time"), (weight, ["SCHEDULER"], "weight"), (table, ["PORT"], "no model has this table"), (type_, ["DEVICE_METADATA"], "type"),
    (asn, ["DEVICE_METADATA"], "bgp_asn"), (routing_mode, ["DEVICE_METADATA"], "docker_routing_config_mode"), (cable, ["CABLE_LENGTH"], "length"),
    (cable_of_no_port, ["CABLE_LENGTH"], "Ethernet9999"), (gateway, ["MGMT_INTERFACE"], "gwaddr"), (key_parts, ["LOOPBACK_INTERFACE"], "3 parts"), (ntp, ["NTP_SERVER"], "server_address"),
    (access_without_action, ["ACL_RULE"], "Must condition"), (access_without_services, ["ACL_TABLE"], "Must condition"), (access_source, ["ACL_RULE"], "SRC_IP"),
    (access_of_no_list, ["ACL_RULE"], "OTHER"), (neighbour, ["DEVICE_NEIGHBOR"], "Ethernet9999"), (bgp_of_no_port, ["BGP_NEIGHBOR_AF"], "Ethernet99"),
]


def main():
    split = sys.argv.index("--")
    models, command, files = sonic_yang.Models(sys.argv[1]), sys.argv[2:split], sys.argv[split + 1:]
    configs = [json.load(open(f, encoding="utf-8")) for f in files]
    wrong = 0
    for break_, tables, word in MISTAKES:
        config = next((c for c in configs if all(t in c for t in tables)), None)
        if config is None:
            print(f"none of the files has {' and '.join(tables)} for the mistake '{break_.__name__}'")
            wrong += 1
            continue
        twin = copy.deepcopy(config)
        break_(twin)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
            json.dump(twin, f)
            f.flush()
            complaints = sonic_yang.judge(models, command, f.name)
        if not any(word in c for c in complaints):
            print(f"the mistake '{break_.__name__}' is not refused for '{word}': {complaints[:3]}")
            wrong += 1
    print(f"{len(MISTAKES) - wrong} of {len(MISTAKES)} mistakes are refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
