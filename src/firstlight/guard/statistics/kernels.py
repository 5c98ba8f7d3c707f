"""The Triton kernels: all tensors in one pass over memory, then one small reduction.

A tensor is cut into chunks; each program of `chunk_pass` reads one, 16 bytes a thread and four loads in flight, and
leaves seven partial values; `tensor_pass` adds them up in float64, a program a tensor. Sums are taken about the mean of
the step before, so that the std keeps its digits where the mean is much larger (LayerNorm gains). A chunk whose sum of
squares is not finite is read again with the bad elements left out: rare, and right.
"""

import torch
import triton
import triton.language as tl

TYPES = {torch.float32: tl.float32, torch.bfloat16: tl.bfloat16, torch.float16: tl.float16}
PARTIALS = 8
"""Room for the seven values of a chunk, padded to 32 bytes."""


@triton.jit
def _add(s, q, low, high, zeros, s2, q2, low2, high2, zeros2):
    return s + s2, q + q2, tl.minimum(low, low2), tl.maximum(high, high2), zeros + zeros2


@triton.jit
def _take(x, pivot, s, q, low, high, zeros):
    d = x - pivot
    return s + d, q + d * d, tl.minimum(low, x), tl.maximum(high, x), zeros + (x == 0.0).to(tl.int32)


@triton.jit
def _take_some(x, mask, pivot, s, q, low, high, zeros):
    inf = float("inf")
    d = tl.where(mask, x - pivot, 0.0)
    low = tl.minimum(low, tl.where(mask, x, inf))
    high = tl.maximum(high, tl.where(mask, x, -inf))
    return s + d, q + d * d, low, high, zeros + (mask & (x == 0.0)).to(tl.int32)


@triton.jit
def _finite_only(start, count, pivot, BLOCK: tl.constexpr):
    """`count` elements again, without those that are not finite, which are counted."""
    inf = float("inf")
    offs = tl.arange(0, BLOCK)
    s = tl.zeros([BLOCK], tl.float32)
    q = tl.zeros([BLOCK], tl.float32)
    low = tl.full([BLOCK], inf, tl.float32)
    high = tl.full([BLOCK], -inf, tl.float32)
    zeros = tl.zeros([BLOCK], tl.int32)
    bad = tl.zeros([BLOCK], tl.int32)
    for i in range(0, count, BLOCK):
        inside = i + offs < count
        x = tl.load(start + i + offs, mask=inside, other=1.0).to(tl.float32)
        finite = tl.abs(x) < inf
        s, q, low, high, zeros = _take_some(x, inside & finite, pivot, s, q, low, high, zeros)
        bad += (inside & (finite == 0)).to(tl.int32)
    S, Q, LOW, HIGH, ZEROS = tl.reduce((s, q, low, high, zeros), 0, _add)
    return S, Q, LOW, HIGH, ZEROS, tl.sum(bad)


@triton.jit
def extent(address, there, offset, BYTES: tl.constexpr, CHUNK: tl.constexpr):
    """Elements before the first 16-byte boundary, and elements of the chunk that begins `offset` after it."""
    head = tl.minimum(((16 - address % 16) % 16) // BYTES, there)
    return head, tl.maximum(tl.minimum(there - head - offset, CHUNK), 0).to(tl.int32)


@triton.jit(do_not_specialize=["first_chunk"])
def chunk_pass(
    addresses,
    numels,
    pivots,
    chunk_tensor,
    chunk_offset,
    partials,
    found_bad,
    first_chunk,
    DTYPE: tl.constexpr,
    BYTES: tl.constexpr,
    CHUNK: tl.constexpr,
    BLOCK: tl.constexpr,
    WIDTH: tl.constexpr,
    CLEARS: tl.constexpr,
):
    """Chunks lie on 16-byte boundaries; the few elements before the first one belong to chunk 0."""
    inf = float("inf")
    c = first_chunk + tl.program_id(0)
    if CLEARS and c == 0:
        tl.store(found_bad, 0.0)
    t = tl.load(chunk_tensor + c)
    offset = tl.multiple_of(tl.load(chunk_offset + c), 1024)
    pivot = tl.load(pivots + t)
    address = tl.load(addresses + t)
    there = tl.where(address == 0, 0, tl.load(numels + t))
    head, count = extent(address, there, offset, BYTES, CHUNK)
    body = tl.multiple_of((address + head * BYTES).to(tl.pointer_type(DTYPE)), 16) + offset
    offs = tl.arange(0, BLOCK)
    s = tl.zeros([BLOCK], tl.float32)
    q = tl.zeros([BLOCK], tl.float32)
    low = tl.full([BLOCK], inf, tl.float32)
    high = tl.full([BLOCK], -inf, tl.float32)
    zeros = tl.zeros([BLOCK], tl.int32)
    full = count // (4 * BLOCK) * (4 * BLOCK)
    for i in range(0, full, 4 * BLOCK):
        x0 = tl.load(body + i + offs)
        x1 = tl.load(body + (i + BLOCK) + offs)
        x2 = tl.load(body + (i + 2 * BLOCK) + offs)
        x3 = tl.load(body + (i + 3 * BLOCK) + offs)
        s, q, low, high, zeros = _take(x0.to(tl.float32), pivot, s, q, low, high, zeros)
        s, q, low, high, zeros = _take(x1.to(tl.float32), pivot, s, q, low, high, zeros)
        s, q, low, high, zeros = _take(x2.to(tl.float32), pivot, s, q, low, high, zeros)
        s, q, low, high, zeros = _take(x3.to(tl.float32), pivot, s, q, low, high, zeros)
    for i in range(full, count, BLOCK):
        inside = i + offs < count
        x = tl.load(body + i + offs, mask=inside, other=0.0).to(tl.float32)
        s, q, low, high, zeros = _take_some(x, inside, pivot, s, q, low, high, zeros)
    start = body
    if (offset == 0) & (head > 0):
        start = address.to(tl.pointer_type(DTYPE))
        inside = offs < head
        x = tl.load(start + offs, mask=inside, other=0.0).to(tl.float32)
        s, q, low, high, zeros = _take_some(x, inside, pivot, s, q, low, high, zeros)
        count += head.to(tl.int32)
    S, Q, LOW, HIGH, ZEROS = tl.reduce((s, q, low, high, zeros), 0, _add)
    BAD = ZEROS * 0
    RAW = Q
    if (Q < inf) == 0:
        S, Q, LOW, HIGH, ZEROS, BAD = _finite_only(start, count, pivot, BLOCK)
    out = partials + c * WIDTH
    tl.store(out + 0, S)
    tl.store(out + 1, Q)
    tl.store(out + 2, LOW)
    tl.store(out + 3, HIGH)
    tl.store(out + 4, BAD.to(tl.float32))
    tl.store(out + 5, ZEROS.to(tl.float32))
    tl.store(out + 6, RAW)


@triton.jit
def _sample_of(address, numel, dtype, SAMPLE: tl.constexpr):
    """Elements spread evenly over a weight, whatever its type; an odd stride visits all columns."""
    stride = tl.maximum(numel // SAMPLE, 1)
    stride = stride - 1 + stride % 2
    place = tl.arange(0, SAMPLE).to(tl.int64) * stride
    inside = place < numel
    x = tl.zeros([SAMPLE], tl.float32)
    if dtype == 0:
        x = tl.load(address.to(tl.pointer_type(tl.float32)) + place, mask=inside, other=0.0)
    elif dtype == 1:
        x = tl.load(address.to(tl.pointer_type(tl.bfloat16)) + place, mask=inside, other=0.0).to(tl.float32)
    else:
        x = tl.load(address.to(tl.pointer_type(tl.float16)) + place, mask=inside, other=0.0).to(tl.float32)
    return x


@triton.jit
def tensor_pass(
    partials,
    chunk_from,
    chunk_to,
    addresses,
    numels,
    dtypes,
    pivots,
    samples,
    lengths,
    out,
    found_bad,
    loss,
    scale,
    clip_norm,
    gradients,
    HAS_LOSS: tl.constexpr,
    HAS_SCALE: tl.constexpr,
    HAS_CLIP: tl.constexpr,
    MARKS: tl.constexpr,
    CLIPS: tl.constexpr,
    WIDTH: tl.constexpr,
    SAMPLE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """A row a tensor; the last row carries numbers that were on the device anyway."""
    inf = float("inf")
    t = tl.program_id(0)
    first = tl.load(chunk_from + t)
    last = tl.load(chunk_to + t)
    address = tl.load(addresses + t)
    there = tl.where(address == 0, 0, tl.load(numels + t))
    n = there.to(tl.float64)
    pivot = tl.load(pivots + t).to(tl.float64)
    offs = tl.arange(0, BLOCK)
    s = tl.zeros([BLOCK], tl.float64)
    q = tl.zeros([BLOCK], tl.float64)
    bad = tl.zeros([BLOCK], tl.float64)
    zeros = tl.zeros([BLOCK], tl.float64)
    raw = tl.zeros([BLOCK], tl.float64)
    low = tl.full([BLOCK], inf, tl.float32)
    high = tl.full([BLOCK], -inf, tl.float32)
    for i in range(first, last, BLOCK):
        inside = (i + offs) < last
        p = partials + (i + offs) * WIDTH
        s += tl.load(p, mask=inside, other=0.0).to(tl.float64)
        q += tl.load(p + 1, mask=inside, other=0.0).to(tl.float64)
        low = tl.minimum(low, tl.load(p + 2, mask=inside, other=inf))
        high = tl.maximum(high, tl.load(p + 3, mask=inside, other=-inf))
        bad += tl.load(p + 4, mask=inside, other=0.0).to(tl.float64)
        zeros += tl.load(p + 5, mask=inside, other=0.0).to(tl.float64)
        if CLIPS:
            raw += tl.load(p + 6, mask=inside, other=0.0).to(tl.float64)
    S = tl.sum(s)
    Q = tl.sum(q)
    BAD = tl.sum(bad)
    kept = n - BAD
    drift = S / tl.where(kept > 0.0, kept, 1.0)
    variance = (Q - S * drift) / tl.where(kept > 1.0, kept - 1.0, 1.0)
    squares = Q + 2.0 * pivot * S + kept * pivot * pivot
    none = tl.where(n > 0.0, float("nan"), 0.0)
    mean = tl.where(kept > 0.0, pivot + drift, none).to(tl.float32)
    row = out + t * WIDTH
    tl.store(row + 0, mean)
    tl.store(row + 1, tl.where(kept > 0.0, tl.sqrt(tl.where(variance > 0.0, variance, 0.0)), none).to(tl.float32))
    tl.store(row + 2, tl.where(kept > 0.0, tl.sqrt(tl.where(squares > 0.0, squares, 0.0)), none).to(tl.float32))
    tl.store(row + 3, tl.where(n > 0.0, tl.min(low), 0.0))
    tl.store(row + 4, tl.where(n > 0.0, tl.max(high), 0.0))
    tl.store(row + 5, BAD.to(tl.float32))
    tl.store(row + 6, (tl.sum(zeros) / tl.where(n > 0.0, n, 1.0)).to(tl.float32))
    tl.store(pivots + t, tl.where(tl.abs(mean) < inf, mean, 0.0))
    if t < gradients:
        tl.store(row + 7, 0.0)
        if CLIPS:
            tl.store(lengths + t, tl.where(BAD > 0.0, tl.sum(raw), squares))
        if MARKS:
            if BAD > 0.0:
                tl.store(found_bad, 1.0)
    else:
        x = _sample_of(address, there, tl.load(dtypes + t), SAMPLE)
        kept_at = samples + (t - gradients).to(tl.int64) * SAMPLE + tl.arange(0, SAMPLE)
        d = x - tl.load(kept_at)
        tl.store(kept_at, x)
        moved = tl.sqrt(tl.sum(d * d))
        length = tl.sqrt(tl.sum(x * x))
        tl.store(row + 7, moved / tl.maximum(length, 1e-30))
    if t == 0:
        tail = out + tl.num_programs(0) * WIDTH
        if HAS_LOSS:
            tl.store(tail + 0, tl.load(loss).to(tl.float32))
        if HAS_SCALE:
            tl.store(tail + 1, tl.load(scale).to(tl.float32))
        if HAS_CLIP:
            tl.store(tail + 2, tl.load(clip_norm).to(tl.float32))
