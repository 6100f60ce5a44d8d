"""Changes of device code that no test finds, and why: each is the same program, or differs where the emulation cannot look."""

FEW_BLOCKS = "the same: a grid has fewer than 2^24 blocks, so that their threads have numbers of 32 bits"
LONG_ARRAYS = "differs from 2^32 elements on, which the emulation has no memory for"

# file ("": any), a part of "old line -> new line", reason
EXPLAINED = [
    ("", "-> for (std::uint64_t i = std::uint32_t{blockIdx.x}", FEW_BLOCKS),
    ("", "-> for (std::uint64_t n = std::uint32_t{blockIdx.x}", FEW_BLOCKS),
    ("", "-> const std::uint64_t i = std::uint32_t{blockIdx.x}", FEW_BLOCKS),
    ("", "-> i += std::uint32_t{gridDim.x} * kThreads", FEW_BLOCKS),
    ("", "-> n += std::uint32_t{gridDim.x} * kThreads", FEW_BLOCKS),
    ("", "-> for (std::uint32_t i =", LONG_ARRAYS),
    ("", "-> for (std::uint32_t n =", LONG_ARRAYS),
    ("memory/cuda.cu", "-> const std::uint32_t i =", LONG_ARRAYS),
    ("memtest/cuda.cu", "-> const std::uint32_t i =", LONG_ARRAYS),
]


def why(file, old, new):
    """The reason, or ''."""
    for where, change, reason in EXPLAINED:
        if where in ("", file) and change in f"{old} -> {new}":
            return reason
    return ""
