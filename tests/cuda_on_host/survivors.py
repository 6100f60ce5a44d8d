"""Changes of device code that no test finds, and why: each is the same program, or differs where the emulation cannot look."""

FEW_BLOCKS = "the same: a grid has fewer than 2^24 blocks, so that their threads have numbers of 32 bits"
LONG_ARRAYS = "differs from 2^32 elements on, which the emulation has no memory for"

SHORT_ROWS = "the same: an order is at most 46,340 (gemm/gemm.cc, kLargestOrder), so that a row has a number of 32 bits"

STILL_POISON = "the same: a NaN added to anything is a NaN, and no result is one"
SMALL_PLACES = "differs only where the upper half of a word arrives damaged, which the copies of the same pair compare: places are below 2^14, their sum below 2^27"

LARGE_ORDERS = "differs where a grid has fewer threads than there are parts: from order 8,193 on, which the emulation does not multiply"
LONG_GRIDS = "differs from order 1,025 on: with fewer parts than 65,536 no thread takes a second one; the emulation does not multiply such orders"
LARGE_MATRICES = "differs from 65,536 x 256 elements on, more than the systems have that the emulation solves"
ADDS_NOTHING = "the same: 0 is added"

# file ("": any), a part of "old line -> new line", reason
EXPLAINED = [
    ("", "-> for (std::uint64_t i = std::uint32_t{blockIdx.x}", FEW_BLOCKS),
    ("", "-> for (std::uint64_t n = std::uint32_t{blockIdx.x}", FEW_BLOCKS),
    ("", "-> const std::uint64_t i = std::uint32_t{blockIdx.x}", FEW_BLOCKS),
    ("", "-> i += std::uint32_t{gridDim.x} * kThreads", FEW_BLOCKS),
    ("", "-> i += std::uint32_t{gridDim.x} * blockDim.x", FEW_BLOCKS),
    ("", "-> n += std::uint32_t{gridDim.x} * kThreads", FEW_BLOCKS),
    ("", "-> for (std::uint32_t i =", LONG_ARRAYS),
    ("", "-> for (std::uint32_t n =", LONG_ARRAYS),
    ("memory/cuda.cu", "-> const std::uint32_t i =", LONG_ARRAYS),
    ("memtest/cuda.cu", "-> const std::uint32_t i =", LONG_ARRAYS),
    ("gemm/fill.cu", "-> sum_rows(p.n, bx, [&](std::uint32_t row", SHORT_ROWS),
    ("gemm/fill.cu", "-> sum_rows(p.n, bx, [&](std::uint64_t row, std::uint32_t column", SHORT_ROWS),
    ("gemm/fill.cu", "-> t += std::uint32_t{gridDim.x} * blockDim.x", FEW_BLOCKS),
    ("gemm/fill.cu", "-> t += std::uint64_t{blockDim.x} * blockDim.x", LONG_GRIDS),
    ("gemm/fill.cu", "-> for (std::uint32_t column = begin", SHORT_ROWS),
    ("gemm/fill.cu", "-> t = std::uint64_t{gridDim.x} * blockDim.x", LARGE_ORDERS),
    ("hpl/cuda.cu", "i < count; i = Index{gridDim.x} * kThreads", LARGE_MATRICES),
    ("memtest/cuda.cu", "-> if (reached >= 0)", ADDS_NOTHING),
    ("memory/cuda.cu", "z[i] = value; -> z[i] += value;", STILL_POISON),
    ("nvlink/pairs_cuda.cu", "-> std::uint32_t at = 0, sum = 0;", SMALL_PLACES),
]


def why(file, old, new):
    """The reason, or ''."""
    for where, change, reason in EXPLAINED:
        if where in ("", file) and change in f"{old} -> {new}":
            return reason
    return ""
