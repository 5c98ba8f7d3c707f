"""What a dataset keeps of its examples, beside what it gives: is anything lost, or turned, on the way between?

What happens there happens in NumPy or PIL, where no tensor is followed. The array that a dataset holds a row of for
each example is compared with the examples it gives, and a plain fit to each tells what that does to the answers.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.relations.exchanging import exchanged
from firstlight.observe.inside.relations.guessing import LEAST_EXAMPLES, foretold
from firstlight.observe.inside.relations.in_order import BatchPlaces, tensors_of, undivided
from firstlight.observe.inside.relations.places import TURNS
from firstlight.observe.inside.relations.sample import flat, parts_of
from firstlight.observe.inside.relations.skill import HALF, wrong
from firstlight.records.places import Site
from firstlight.records.stored import ExamplesStored, ImagesTurned

MOST_ROWS = 256
"""A plain fit to more takes too long where the machine is busy."""
LEAST_VALUES, MOST_VALUES = 16, 1 << 14
"""Of an example."""
ASKED = 64
"""Examples whose values are counted."""
LOST = 2
"""Times as many values are kept as given, from which on it is asked what that does to the answers."""
GRID = 4
"""Places along a side, by which images of different sizes are compared."""
RELATED, BEYOND = 0.2, 0.1
"""Correlation of what is given with what is kept, and by how much it exceeds that with another example."""
CHANNELS = (1, 3, 4)
IMAGE = 2
"""Dimensions; a third one is of channels."""
CLEAR, UNCLEAR = 0.8, 0.2
"""Correlation of an image with one that is the same, turned, and by how much it exceeds that as it is."""
LEFT = 0.25
"""Or of what the image as it is leaves unexplained, at most: a face is nearly its own mirror image."""
SOME = 0.1
"""Of the images, at least, that are turned, and that are not."""
SAME = 1e-3
"""Of the deviation of an example's values, by which those of one that is only turned or moved may differ."""


class KeptAndGiven(NamedTuple):
    """Rows of the same examples, and their answers, as they come from the dataset."""

    kept: torch.Tensor
    given: torch.Tensor
    answer: torch.Tensor


def keeps_arrays(loader: Any) -> bool:
    return any(True for _ in arrays_of(undivided(loader.dataset)))


def arrays_of(dataset: Any) -> Iterator[Any]:
    """That hold a row of numbers for each example; a dataset of tensors gives them as they are."""
    plain = isinstance(dataset, torch.utils.data.TensorDataset | torch.utils.data.IterableDataset)
    if plain or not hasattr(dataset, "__len__"):
        return
    for value in getattr(dataset, "__dict__", {}).values():
        shape = _shape(value)
        if len(shape) > 1 and shape[0] == len(dataset) and LEAST_VALUES <= math.prod(shape[1:]) <= MOST_VALUES:
            yield value


def _shape(value: Any) -> tuple[int, ...]:
    """Of an array, or of a list of arrays that have one shape."""
    if not isinstance(value, list):
        return tuple(value.shape) if _is_array(value) else ()
    of_first = _shape(value[0]) if value and not isinstance(value[0], list) else ()
    alike = of_first and all(type(one) is type(value[0]) and tuple(one.shape) == of_first for one in value)
    return (len(value), *of_first) if alike else ()


def _is_array(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return reading.readable(value) and not value.is_complex() and not value.is_sparse
    numbers = type(value).__name__ in ("ndarray", "memmap") and value.dtype.kind in "fiu"
    return numbers and value.dtype.isnative and value.dtype.itemsize <= torch.double.itemsize


def _rows(array: Any, chosen: list[int]) -> torch.Tensor:
    if isinstance(array, list):
        return torch.stack([torch.as_tensor(array[row]) for row in chosen])
    return array[torch.tensor(chosen)] if isinstance(array, torch.Tensor) else torch.from_numpy(array[chosen])


def line_of(dataset: Any) -> Site | None:
    """Of the method that gives an example."""
    code = getattr(getattr(type(dataset), "__getitem__", None), "__code__", None)
    return None if code is None else sites.site_of(code.co_filename, code.co_firstlineno)


def stored(loader: Any, places: BatchPlaces) -> ExamplesStored:
    dataset, rows = loader.dataset, list(range(len(loader.dataset)))
    while isinstance(dataset, torch.utils.data.Subset):
        rows, dataset = [int(dataset.indices[row]) for row in rows], dataset.dataset
    chosen = [rows[place] for place in torch.linspace(0, len(rows) - 1, min(MOST_ROWS, len(rows))).long().tolist()]
    if len(chosen) < LEAST_EXAMPLES:
        return ExamplesStored()
    batch = tensors_of(loader.collate_fn([dataset[row] for row in chosen]))
    given, answer = batch[places.given], batch[places.answer]
    for array in arrays_of(dataset):
        kept = _rows(array, chosen)
        if len(given) == len(answer) == len(kept) and _is_source(kept, given):
            found, before, after = KeptAndGiven(_image(kept), given, answer), _values(kept), _values(given)
            return ExamplesStored(
                name=type(dataset).__name__,
                site=line_of(dataset),
                examples=len(chosen),
                kept_values=before,
                given_values=after,
                **(_skills(found) if LOST * after <= before else {}),
                **turned(found),
            )
    return ExamplesStored()


def _image(kept: torch.Tensor) -> torch.Tensor:
    """With its channels first."""
    if kept.ndim == IMAGE + 2 and kept.shape[-1] in CHANNELS and kept.shape[1] not in CHANNELS:
        kept = kept.movedim(-1, 1)
    return kept


def _grid(examples: torch.Tensor) -> torch.Tensor:
    values = examples.detach().to("cpu", torch.float32)
    if values.ndim > IMAGE:
        images = values.reshape(len(values), -1, *values.shape[-2:]).mean(1, keepdim=True)
        values = torch.nn.functional.adaptive_avg_pool2d(images, GRID)
    return values.reshape(len(values), -1)


def _is_source(kept: torch.Tensor, given: torch.Tensor) -> bool:
    """Examples look more like what is kept of them than like what is kept of others."""
    if _same_values(kept, given) and not _same_values(kept.roll(1, 0), given):
        return True
    first, second = _grid(_image(kept)), _grid(given)
    if first.shape != second.shape or given[0].numel() * 2 < kept[0].numel():
        return False
    own, other = (float(alike(a, second).median()) for a in (first, first.roll(1, 0)))
    return own > RELATED and own > other + BEYOND


def _same_values(kept: torch.Tensor, given: torch.Tensor) -> bool:
    """Most examples hold the values that are kept of them, in whatever order."""
    if kept[0].numel() != given[0].numel():
        return False
    first, second = (t.detach().to("cpu", torch.float32).flatten(1).sort(1).values for t in (kept, given))
    unit = [(t - t.mean(1, keepdim=True)) / t.std(1, keepdim=True).clamp_min(1e-12) for t in (first, second)]
    return bool(((unit[0] - unit[1]).abs().amax(1) <= SAME).float().mean() > HALF)


def alike(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Correlation of each row with that of the other."""
    unit = [torch.nn.functional.normalize(t - t.mean(1, keepdim=True), dim=1) for t in (first, second)]
    return (unit[0] * unit[1]).sum(1)


def _values(examples: torch.Tensor) -> int:
    """Different ones in an example, usually."""
    counts = [len(torch.unique(example)) for example in examples[:ASKED]]
    return int(torch.tensor(counts).median())


def _skills(found: KeptAndGiven) -> dict[str, Any]:
    """Of plain fits to what is kept and to what is given, where answers are classes."""
    parts = parts_of(flat(found.answer.reshape(len(found.answer), -1)))
    if len(parts) != 1 or not parts[0].classes:
        return {}
    code = torch.nn.functional.one_hot(parts[0].values.long(), parts[0].classes).double()
    base = wrong("classes", code.mean(0, keepdim=True).expand_as(code), code)
    kept, given = (1 - wrong("classes", foretold(flat(t), code)[0], code) / base for t in (found.kept, found.given))
    return {"kept_skill": kept, "given_skill": given}


def turned(found: KeptAndGiven) -> dict[str, Any]:
    """Images of which some are mirrored on the way, the number of the answer for which that matters most, and those
    that change places."""
    answer = found.answer.detach().to("cpu", torch.double).reshape(len(found.answer), -1)
    moving = answer[:, answer.std(0) > 0] if found.answer.is_floating_point() else answer[:, :0]
    kept, given = (t.detach().to("cpu", torch.float32) for t in (found.kept, found.given))
    if kept.ndim <= IMAGE or kept.shape[-2:] != given.shape[-2:] or kept[0].numel() != given[0].numel():
        return {}
    kept = kept.reshape(given.shape)
    turns = {name: turn(kept) for name, turn in TURNS.items() if turn(kept).shape == kept.shape and moving.shape[1]}
    ways = [way for measure in (_alike_in_place, _alike_moved) for way in _ways(measure, kept, turns, given)]
    if not ways:
        return {}
    way = max(ways, key=lambda one: one.known)  # the first of those that tell equally many
    told = _told(way.name, way.turned, kept, given, moving)
    return {"turned": told, "numbers": exchanged(flat(given), way.turned, moving)}


class _Way(NamedTuple):
    name: str
    turned: torch.Tensor
    known: float
    """Share of the images of which it is plain whether they are turned."""


def _ways(
    measure: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    kept: torch.Tensor,
    turns: dict[str, torch.Tensor],
    given: torch.Tensor,
) -> Iterator[_Way]:
    own, there = measure(kept, given), {name: measure(images, given) for name, images in turns.items()}
    best = torch.stack([own, *there.values()]).amax(0) - SAME
    for name, found in there.items():
        is_turned = (found >= CLEAR) & (found >= best) & _is_nearer(found, own)
        stays = (own >= best) & _is_nearer(own, found)
        shares = float(is_turned.float().mean()), float(stays.float().mean())
        if min(shares) >= SOME:
            yield _Way(name, is_turned, sum(shares))


def _alike_in_place(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    return alike(first.flatten(1), second.flatten(1))


def _alike_moved(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Where the second is the first moved by any number of places; what leaves on one side comes in on the other."""
    ours, theirs = (t - t.mean(tuple(range(1, t.ndim)), keepdim=True) for t in (first, second))
    both = torch.fft.rfft2(ours).conj() * torch.fft.rfft2(theirs)
    places = torch.fft.irfft2(both, s=first.shape[-2:]).flatten(1, -3).sum(1)
    size = ours.flatten(1).norm(dim=1) * theirs.flatten(1).norm(dim=1)
    found: torch.Tensor = places.flatten(1).amax(1) / size.clamp_min(1e-12)
    return found


def _is_nearer(there: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
    return (there >= own + UNCLEAR) | (1 - there + SAME <= LEFT * (1 - own))


def _told(
    name: str, turns: torch.Tensor, kept: torch.Tensor, given: torch.Tensor, answer: torch.Tensor
) -> ImagesTurned:
    mirrored = torch.where(turns[:, None], 2 * answer.mean(0) - answer, answer)
    asked = ((kept, answer), (given, answer), (given, mirrored))
    as_kept, as_given, as_mirrored = (_explained(flat(images), values) for images, values in asked)
    part = int((torch.minimum(as_kept, as_mirrored) - as_given).argmax())
    return ImagesTurned(
        how=name,
        share=float(turns.float().mean()),
        part=part,
        kept=float(as_kept[part]),
        given=float(as_given[part]),
        mirrored=float(as_mirrored[part]),
    )


def _explained(table: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Share of each column of the answers that a plain fit foretells."""
    return 1 - (foretold(table, values)[0] - values).pow(2).mean(0) / values.var(0, unbiased=False)
