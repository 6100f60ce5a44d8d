#!/bin/sh
# made by clusterc from spec 'listed'; do not edit: use outputs.maas.extra
# no MAC address is known of nodes, which are left out: 1; add rows to the inventory (`inventory:` of the spec): n3,data1,MAC
# usage: machines.sh PROFILE     PROFILE: the profile name of `maas login`
# Machines whose name MAAS already has are not changed, so that the script can run again. BMC_USER and BMC_PASSWORD:
# an account that may turn the machines on.
set -eu
profile=${1:?usage: machines.sh PROFILE}

known() { maas "$profile" machines read "hostname=$1" | grep -q '"hostname"'; }
machine() {
  if known "$1"; then
    echo "$1: known already"
    return
  fi
  name=$1 && shift
  maas "$profile" machines create "hostname=$name" "$@" 'zone=hall one' > /dev/null
  echo "$name: created"
}
: "${BMC_USER:?the account of the BMCs}" "${BMC_PASSWORD:?its password}"
bmc() {
  name=$1 address=$2 && shift 2
  machine "$name" "$@" power_type=ipmi "power_parameters_power_address=$address" "power_parameters_power_user=$BMC_USER" "power_parameters_power_pass=$BMC_PASSWORD"
}

bmc n1 10.2.0.17 architecture=amd64/generic mac_addresses=94:6d:ae:00:00:01 mac_addresses=94:6d:ae:00:00:02
bmc n2 10.2.0.18 architecture=amd64/generic mac_addresses=94:6d:ae:00:00:04
machine v1 architecture=amd64/generic mac_addresses=02:00:00:00:00:09 power_type=manual
