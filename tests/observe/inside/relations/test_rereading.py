"""What becomes of stored examples that are read again and again."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset

from firstlight.checks.data.reading_changes_data import CHECK
from firstlight.observe.inside import sites
from firstlight.observe.inside.relations.rereading import Rereader, reread
from firstlight.records.stored import KeptReread

COUNT, SIDE = 60, 8
DRAWN = np.random.default_rng(1)
IMAGES = DRAWN.normal(size=(COUNT, SIDE, SIDE)).astype(np.float32)


@pytest.fixture(autouse=True)
def _mine() -> None:
    sites.claim(Path(__file__).parent)


class Stored(Dataset[Any]):
    """Gives what a function makes of the dataset and a row."""

    def __init__(self, kept: Any, give: Callable[[Any, int], Any]) -> None:
        self.kept, self.give = kept, give
        self.drawn = np.random.default_rng(0)
        self.other = np.zeros((COUNT, SIDE, SIDE), np.float32)
        self.counts = np.ones(COUNT)
        self.known: list[Any] = [None] * COUNT

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, row: int) -> Any:
        return self.give(self, row), row % 2


def found(dataset: Any, **how: Any) -> KeptReread | None:
    loader = DataLoader(dataset, batch_size=8, **how)
    return reread(loader, Rereader(loader).kept())


def is_told(told: KeptReread | None) -> bool:
    return told is not None and bool(list(CHECK.find(told, CHECK.limits)))


def square(image: Any) -> Any:
    top, left = random.randint(0, 5), random.randint(0, 5)
    image[top : top + 3, left : left + 3] = 0
    return image


def cutout(data: Stored, row: int) -> Any:
    return square(data.kept[row])


def noisy(data: Stored, row: int) -> Any:
    data.kept[row] += data.drawn.normal(size=(SIDE, SIDE)) / 5
    return data.kept[row]


def noisy_tensor(data: Stored, row: int) -> torch.Tensor:
    image: torch.Tensor = data.kept[row]
    return image.add_(torch.randn_like(image) / 5)


def scaled_again(data: Stored, row: int) -> Any:
    image = torch.from_numpy(data.kept[row])
    return image.sub_(0.5).div_(2)


def brighter(data: Stored, row: int) -> Any:
    return np.clip(data.kept[row] * random.uniform(1.0, 1.3), -1, 1, out=data.kept[row])


def hidden(data: Stored, row: int) -> torch.Tensor:
    ids = data.kept[row]
    for place in range(len(ids)):
        if random.random() < 0.15:
            ids[place] = 0
    return torch.tensor(ids)


def pasted(data: Stored, row: int) -> torch.Tensor:
    image = data.kept[row]
    image.paste(0, (random.randint(0, 5), random.randint(0, 5), SIDE, SIDE))
    return torch.from_numpy(np.array(image))


def kept_as_changed(data: Stored, row: int) -> Any:
    data.kept[row] = square(data.kept[row].copy())
    return data.kept[row]


def window(data: Stored, row: int) -> Any:
    part = data.kept[row : row + 16]
    part -= part.mean() - 0.1
    return part


def as_ids() -> list[list[int]]:
    return [list(map(int, DRAWN.integers(1, 90, 20))) for _ in range(COUNT)]


def pictures() -> list[Image.Image]:
    return [Image.fromarray((image * 60 + 120).clip(0, 255).astype(np.uint8)) for image in IMAGES]


ILL: dict[str, tuple[Callable[[], Any], Callable[[Stored, int], Any]]] = {
    "a view": (IMAGES.copy, cutout),
    "a list of arrays": (lambda: list(IMAGES.copy()), cutout),
    "tensors": (lambda: torch.from_numpy(IMAGES.copy()), cutout),
    "noise": (IMAGES.copy, noisy),
    "noise on tensors": (lambda: torch.from_numpy(IMAGES.copy()), noisy_tensor),
    "scaled at each reading": (IMAGES.copy, scaled_again),
    "out=": (IMAGES.copy, brighter),
    "ids in lists": (as_ids, hidden),
    "images": (pictures, pasted),
    "put back": (lambda: list(IMAGES.copy()), kept_as_changed),
    "windows of a series": (lambda: DRAWN.normal(size=COUNT + 15).astype(np.float32), window),
}


@pytest.mark.parametrize("name", ILL)
def test_what_piles_up_is_told(name: str) -> None:
    kept, give = ILL[name]
    told = found(Stored(kept(), give))

    assert is_told(told), told
    assert told is not None
    assert told.writes is not None
    assert told.name == "Stored"


def test_the_line_that_writes_is_named() -> None:
    told = found(Stored(IMAGES.copy(), cutout))

    assert told is not None
    assert told.writes is not None
    source = Path(__file__).read_text().splitlines()
    assert source[told.writes.line - 1] == "    image[top : top + 3, left : left + 3] = 0"


def test_so_is_what_a_collate_function_does_and_a_part_of_the_data() -> None:
    def collate(batch: list[Any]) -> Any:
        images = [torch.from_numpy(image) for image, _ in batch]
        return torch.stack([image.mul_(0.9) for image in images])

    told = found(Subset(Stored(IMAGES.copy(), lambda data, row: data.kept[row]), range(10, 50)), collate_fn=collate)

    assert is_told(told)


def test_what_was_blank_by_the_end_is_put_back_first() -> None:
    loader = DataLoader(Stored(IMAGES.copy(), cutout), batch_size=8)
    first = Rereader(loader).kept()
    loader.dataset.kept[:] = 0  # type: ignore[attr-defined]

    assert is_told(reread(loader, first))


def copied(data: Stored, row: int) -> Any:
    return square(data.kept[row].copy())


def cached(data: Stored, row: int) -> Any:
    if data.known[row] is None:
        data.known[row] = data.kept[row] * 2 + data.drawn.normal()
    return data.known[row]


def buffered(data: Stored, row: int) -> Any:
    data.other[row] = data.kept[row]
    return square(data.other[row])


def counted(data: Stored, row: int) -> Any:
    data.counts[row] += 1
    return data.kept[row] / data.counts[row]


def turned(data: Stored, row: int) -> Any:
    if random.random() < 0.5:
        data.kept[row] = data.kept[row][:, ::-1].copy()
    return data.kept[row]


def once(data: Stored, row: int) -> Any:
    image = data.kept[row]
    image -= image.mean()
    image /= image.std()
    return image


@pytest.mark.parametrize("give", [copied, cached, buffered, counted, turned, once])
def test_what_does_not_is_fine(give: Callable[[Stored, int], Any]) -> None:
    told = found(Stored(IMAGES.copy(), give))

    assert told is not None
    assert not is_told(told)


def test_examples_that_are_given_as_they_are_kept_are_read_twice() -> None:
    told = found(TensorDataset(torch.from_numpy(IMAGES.copy()), torch.arange(COUNT)))

    assert told is not None
    assert (told.examples, told.readings, told.often) == (32, 0, 0.0)


def test_nothing_is_said_where_random_numbers_come_from_elsewhere() -> None:
    elsewhere = iter(np.random.default_rng(3).normal(size=100_000))

    def give(data: Stored, row: int) -> Any:
        data.kept[row] += next(elsewhere)
        return data.kept[row]

    assert found(Stored(IMAGES.copy(), give)) is None


@pytest.mark.parametrize("share", ["a file", "memory"])
def test_what_a_copy_would_share_is_not_written_to(tmp_path: Path, share: str) -> None:
    if share == "a file":
        np.save(tmp_path / "images.npy", IMAGES)
        kept: Any = np.load(tmp_path / "images.npy", mmap_mode="r+")
    else:
        kept = torch.from_numpy(IMAGES.copy()).share_memory_()
    loader = DataLoader(Stored(kept, cutout), batch_size=8)

    assert Rereader(loader).kept().places == []
