"""Tables a kernel reads: which program works on which stretch of which tensor, and where the tensors are."""

import itertools
import operator
from collections.abc import Iterator, Sequence

import torch


class Chunks:
    """A fixed list of sizes cut into chunks of equal bytes, those of one type side by side."""

    def __init__(
        self, numels: Sequence[int], types: Sequence[torch.dtype | None], chunk: int, device: torch.device
    ) -> None:
        """`chunk` counts elements of four bytes. A tensor without a type has no chunk."""
        typed = sorted(((p, t) for p, t in enumerate(types) if t is not None), key=lambda pair: str(pair[1]))
        places = [place for place, _ in typed]
        sizes = [chunk * 4 // dtype.itemsize for _, dtype in typed]
        counts = [max(1, -(-numels[place] // size)) for place, size in zip(places, sizes, strict=True)]
        self.groups = list(_groups([dtype for _, dtype in typed], counts))
        """Type, first chunk, number of chunks."""
        ends = list(itertools.accumulate(counts))
        first, last = [0] * len(numels), [0] * len(numels)
        for place, count, end in zip(places, counts, ends, strict=True):
            first[place], last[place] = end - count, end
        number, begins = sent(counts, torch.int64, device), sent([0, *ends[:-1]], torch.int64, device)
        each = torch.repeat_interleave(number, output_size=ends[-1] if ends else 0)  # made there: it may be long
        self.tensor = sent(places, torch.int32, device)[each]
        self.offset = (torch.arange(len(each), device=device) - begins[each]) * sent(sizes, torch.int64, device)[each]
        self.first = sent(first, torch.int32, device)
        self.last = sent(last, torch.int32, device)
        self.numels = sent(list(numels), torch.int64, device)
        self.partials = torch.zeros(len(each), 8, device=device)


def _groups(types: list[torch.dtype], counts: list[int]) -> Iterator[tuple[torch.dtype, int, int]]:
    begin = 0
    for dtype, several in itertools.groupby(zip(types, counts, strict=True), key=operator.itemgetter(0)):
        count = sum(each for _, each in several)
        yield dtype, begin, count
        begin += count


def sent(values: list[int], dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """On the device, without waiting for it."""
    on_gpu = device.type != "cpu"
    return torch.tensor(values, dtype=dtype, pin_memory=on_gpu).to(device, non_blocking=True)
