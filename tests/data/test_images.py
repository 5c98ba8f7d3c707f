"""Folders of images are tables: copies, near copies and leaks are found as in any other."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from firstlight.data.asking import check_data
from firstlight.data.images import batches_of, thumbnail

DRAW = np.random.default_rng(4)


def save(path: Path, picture: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture).save(path)


def smooth() -> np.ndarray:
    small = Image.fromarray(DRAW.integers(0, 255, (6, 6)).astype(np.uint8))
    return np.asarray(small.resize((48, 48)))


@pytest.fixture
def pictures(folder: Path) -> list[np.ndarray]:
    made = [smooth() for _ in range(24)]
    for place, picture in enumerate(made):
        save(folder / "train" / ("cat" if place % 2 else "dog") / f"{place}.png", picture)
    return made


def test_an_image_in_both_splits_is_found_scaled_or_not(pictures: list[np.ndarray], folder: Path) -> None:
    for place in range(10):
        save(folder / "val" / "cat" / f"{place}.png", smooth())
    save(folder / "val" / "dog" / "same.png", pictures[0])
    scaled = Image.fromarray(pictures[2]).resize((96, 96))
    save(folder / "val" / "dog" / "scaled.png", np.asarray(scaled))

    report = check_data("train", val="val")
    finding = next(found for found in report.findings if found.name == "splits-share-rows")

    assert (finding.evidence["exact"], finding.evidence["near"]) == (1, 1)


def test_each_row_says_what_its_image_is_like(pictures: list[np.ndarray], folder: Path) -> None:
    save(folder / "train" / "dog" / "black.png", np.zeros((48, 48), dtype=np.uint8))
    (folder / "train" / "dog" / "torn.png").write_bytes(b"\x89PNG not really")
    rows = {row["file"]: row for batch in batches_of(folder / "train") for row in batch.to_pylist()}

    assert rows["dog/0.png"]["label"] == "dog"
    assert (rows["dog/0.png"]["width"], rows["dog/0.png"]["mode"]) == (48, "L")
    assert rows["dog/black.png"]["brightest"] == 0
    assert "UnidentifiedImageError" in rows["dog/torn.png"]["broken"]
    assert rows["dog/torn.png"]["content"] is not None


def test_a_small_copy_for_the_page(pictures: list[np.ndarray], folder: Path) -> None:
    small = thumbnail("train", "dog/0.png")

    assert small.startswith("data:image/jpeg;base64,")
    assert len(small) < 4000
    assert thumbnail("train", "dog/not-there.png") == ""


def test_values_from_0_to_1_written_as_if_to_255(pictures: list[np.ndarray], folder: Path) -> None:
    for place in range(3):
        save(folder / "train" / "dog" / f"dark{place}.png", DRAW.integers(0, 2, (48, 48)).astype(np.uint8))

    saws = [found.saw for found in check_data("train").findings]

    assert any(saw.startswith("no value above 2 of 255 in 3 of 27 images: dog/dark0.png") for saw in saws)
