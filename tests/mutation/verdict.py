"""Causes, the rules that are there to report each, and how a load is held against its limit."""
import collections

Verdict = collections.namedtuple("Verdict", "cause state places why")

RULES = {
    "rack-power": {"power-branch-over-continuous-rating", "power-phase-overloaded-or-unbalanced", "power-feed-loss-overloads-survivor", "power-bank-breaker-overloaded"},
    "feed-capacity": {"power-branch-over-continuous-rating", "power-feed-loss-overloads-survivor"},
    "ups": {"power-ups-over-kw-rating"},
    "rack-budget": {"power-rack-over-budget"},
    "utility": {"power-site-over-capacity"},
    "supplies": {"power-supplies-below-node-draw"},
    "supplies-feeds": {"power-supplies-uneven-over-feeds", "power-feed-loss-overloads-survivor"},   # cords may be moved together instead
    "supply-voltage": {"power-supply-voltage-out-of-range", "power-pdu-rating-miscomputed"},
    "pdu-rating": {"power-pdu-rating-miscomputed"},
    "cards": {"pcie-card-beyond-slot-limits"},
    "ups-altitude": {"power-altitude-derating-ignored"},
    "places": {"node-parts-beyond-places"},
    "pdu-voltage": {"power-pdu-rating-miscomputed", "power-plug-outlet-mismatch"},
    "pdu-region": {"power-plug-outlet-mismatch"},
    "outlets": {"power-outlet-missing-or-reused", "power-plug-outlet-mismatch"},
    "part-sum": {"power-node-below-part-sum"},
    "gpu-limit": {"power-gpu-limit-out-of-range"},
    "shelves": {"power-shelves-below-rack-draw", "spec-count-mismatch"},
    "heat": {"cool-heat-rejection-undersized", "cool-cdu-undersized-at-approach"},
    "airflow": {"cool-airflow-below-demand"},
    "density": {"cool-density-beyond-method"},
    "inlet": {"cool-inlet-out-of-range", "cool-inlet-above-altitude-limit"},
    "coolant": {"cool-coolant-too-warm-or-condensing"},
    "coolant-flow": {"cool-coolant-flow-too-small"},
    "humidity": {"cool-humidity-out-of-range"},
    "no-air": {"cool-liquid-rack-without-air"},
    "nic-slot": {"pcie-nic-faster-than-slot"},
    "slot-width": {"pcie-card-beyond-slot-limits"},
    "bifurcation": {"pcie-bifurcation-unsupported-by-slot"},
    "lanes": {"pcie-lanes-beyond-sockets"},
    "numa-pair": {"pcie-gpu-nic-across-sockets", "pcie-gpu-rail-pairing-broken"},
    "rail-pairs": {"pcie-gpu-rail-pairing-broken"},
    "bar": {"pcie-bar-space-exhausted"},
    "acs": {"pcie-acs-redirects-peer-traffic"},
    "iommu": {"pcie-iommu-translates-on-bare-metal"},
    "gpu-form": {"node-gpu-wrong-form-factor"},
    "gpu-count": {"node-gpu-wrong-form-factor"},
    "cpu": {"node-cpu-unsupported-by-chassis"},
    "dimms": {"node-memory-channels-uneven"},
    "memory": {"node-host-memory-below-gpu"},
    "cores": {"node-few-cores-per-gpu"},
    "arch": {"node-image-wrong-architecture"},
    "bmc": {"node-boot-or-bmc-lacking"},
    "bridge": {"node-impossible-nvlink-topology"},
    "rack-units": {"rack-units-overlap-or-overflow", "power-branch-over-continuous-rating", "power-rack-over-budget"},
    "rack-depth": {"rack-device-deeper-than-rack"},
    "rack-weight": {"rack-static-load-exceeded", "rack-units-overlap-or-overflow"},
    "rolling": {"rack-rolled-above-dynamic-rating"},
    "floor": {"rack-floor-load-exceeded"},
    "door": {"rack-delivery-path-too-small"},
    "switch-ports": {"net-switch-ports-exceeded", "net-fabric-exceeds-tiers"},
    "link-rate": {"net-link-ends-mismatched", "net-switch-ports-exceeded"},
    "link-kind": {"net-link-ends-mismatched", "net-roce-lossless-plan-broken"},
    "rails": {"pcie-gpu-rail-pairing-broken"},
    "node-ports": {"spec-not-enough-ports", "spec-missing-choice"},
    "subnet": {"net-address-plan-collides"},
    "overlap": {"net-address-plan-collides"},
    "vlan": {"net-address-plan-collides"},
    "mtu": {"net-mtu-differs-along-path"},
    "roce": {"net-roce-lossless-plan-broken"},
    "headroom": {"net-pfc-headroom-too-small"},
    "asn": {"net-bgp-numbers-clash-or-exhausted"},
    "oversubscription": {"net-leaf-oversubscribed"},
    "oob": {"net-oob-incomplete-or-dependent", "security-management-network-reachable"},
    "reach": {"net-link-beyond-medium-reach", "net-module-cage-mismatched"},
    "lids": {"net-subnet-manager-or-lids-short"},
    "storage-rate": {"storage-path-narrower-than-promise"},
    "storage-capacity": {"storage-usable-capacity-short"},
    "protection": {"storage-fault-tolerance-impossible"},
    "file-server": {"storage-metadata-on-single-server", "ha-service-single-instance"},
    "cuda-driver": {"software-cuda-newer-than-driver"},
    "gpu-toolkit": {"software-gpu-unknown-to-toolkit", "software-one-stack-mixed-generations"},
    "gpu-driver": {"software-gpu-unknown-to-toolkit", "software-one-stack-mixed-generations", "software-cuda-newer-than-driver"},
    "modules": {"software-wrong-kernel-module-flavour", "software-one-stack-mixed-generations"},
    "fabric-manager": {"software-fabric-manager-mismatched"},
    "memlock": {"software-memlock-limit-too-low"},
    "limits": {"software-process-limits-too-low"},
    "secure-boot": {"software-unsigned-module-secure-boot"},
    "mig": {"software-mig-layout-mismatched"},
    "blocks": {"sched-block-splits-nvlink-domain", "sched-topology-differs-from-fabric"},
    "gang": {"sched-gang-scheduling-absent"},
    "quorum": {"ha-quorum-even-or-split"},
    "single-service": {"ha-service-single-instance", "ha-quorum-even-or-split"},
    "workload-nodes": {"spec-count-mismatch"},
    "target-rdma": {"target-rdma-above-line-rate"},
    "target-memory": {"target-gemm-above-peak"},
    "target-gemm": {"target-gemm-above-peak"},
    "target-hpl": {"target-hpl-beyond-memory-or-peak"},
    "target-copy": {"target-host-copy-above-ceiling"},
    "target-all-reduce": {"target-all-reduce-above-ceiling"},
    "training-memory": {"work-training-state-exceeds-memory"},
    "run-time": {"work-run-time-claim-impossible"},
    "tensor": {"work-parallel-layout-leaves-nvlink"},
    "quota": {"sched-quota-beyond-capacity"},
    "built-for": {"spec-count-mismatch"},
    "names": {"spec-duplicate-name"},
    "unknown-name": {"spec-unknown-name"},
    "unknown-part": {"spec-unknown-part"},
    "trays": {"spec-count-mismatch"},
}

EPS = 1e-9


def judge(cause, low, high, limit, places, why):
    """Against a limit that must not be exceeded."""
    if limit is None or low is None:
        return []
    if low > limit * (1 + EPS) + EPS:
        return [Verdict(cause, "infeasible", places, f"{why}: {low:.6g} of {limit:.6g}")]
    if high is None or high > limit * (1 + EPS) + EPS:
        return [Verdict(cause, "undecided", places, f"{why}: {low:.6g} to {high if high is None else format(high, '.6g')} of {limit:.6g}")]
    return []


def wrong(cause, places, why):
    return [Verdict(cause, "infeasible", places, why)]
