"""Clipping as a third launch behind the statistics: the norm is known from their sums.

Where gradients are short enough none of them is read again; torch reads them once for the norm and always once more.
"""

import triton
import triton.language as tl

from firstlight.guard.statistics.kernels import extent


@triton.jit
def _shorten(place, inside, factor, DTYPE: tl.constexpr):
    tl.store(place, (tl.load(place, mask=inside, other=0.0).to(tl.float32) * factor).to(DTYPE), mask=inside)


@triton.jit(do_not_specialize=["first_chunk", "max_norm", "gradients"])
def clip_pass(
    addresses,
    numels,
    lengths,
    chunk_tensor,
    chunk_offset,
    total_norm,
    tail,
    max_norm,
    gradients,
    first_chunk,
    DTYPE: tl.constexpr,
    BYTES: tl.constexpr,
    CHUNK: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Every program adds up the squared lengths for itself: they are few, and nobody waits for anybody."""
    c = first_chunk + tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    squares = tl.zeros([BLOCK], tl.float64)
    for i in range(0, gradients, BLOCK):
        squares += tl.load(lengths + i + offs, mask=i + offs < gradients, other=0.0)
    total = tl.sqrt(tl.sum(squares)).to(tl.float32)
    factor = max_norm / (total + 1e-6)
    if c == 0:
        tl.store(total_norm, total)
        tl.store(tail + 2, total)
    if (factor >= 1.0) == 0:  # a norm that is not a number spreads, as it does in torch's own clipping
        t = tl.load(chunk_tensor + c)
        offset = tl.multiple_of(tl.load(chunk_offset + c), 1024)
        address = tl.load(addresses + t)
        there = tl.where(address == 0, 0, tl.load(numels + t))
        head, count = extent(address, there, offset, BYTES, CHUNK)
        body = tl.multiple_of((address + head * BYTES).to(tl.pointer_type(DTYPE)), 16) + offset
        full = count // (2 * BLOCK) * (2 * BLOCK)
        for i in range(0, full, 2 * BLOCK):
            near = body + i + offs
            far = body + (i + BLOCK) + offs
            x = tl.load(near).to(tl.float32)
            y = tl.load(far).to(tl.float32)
            tl.store(near, (x * factor).to(DTYPE))
            tl.store(far, (y * factor).to(DTYPE))
        for i in range(full, count, BLOCK):
            _shorten(body + i + offs, i + offs < count, factor, DTYPE)
        if (offset == 0) & (head > 0):
            _shorten(address.to(tl.pointer_type(DTYPE)) + offs, offs < head, factor, DTYPE)
