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

    assert any(saw.startswith("no value above 2 (of 255) in 3 of 27 images: dog/dark0.png") for saw in saws)


def test_a_brighter_copy_is_nearly_the_same_and_told_by_its_file(pictures: list[np.ndarray], folder: Path) -> None:
    for place in range(10):
        save(folder / "val" / "cat" / f"{place}.png", smooth())
    save(folder / "val" / "dog" / "lit.png", np.clip(pictures[3].astype(int) // 2 + 60, 0, 255).astype(np.uint8))

    (found,) = check_data("train", val="val", select=["splits-share-rows"]).findings

    assert "dog/lit.png of val and " in found.saw
    assert (found.evidence["exact"], found.evidence["near"]) == (0, 1)


def test_colours_of_equal_brightness_are_seen(folder: Path) -> None:
    """Red on green of one grey is a picture; one colour alone is none."""
    for place in range(4):
        drawn = np.zeros((32, 32, 3), dtype=np.uint8)
        drawn[:] = (0, 128, 0)
        drawn[8 : 20 + place, 8:20] = (251, 0, 0)
        save(folder / "drawn" / f"{place}.png", drawn)
        save(folder / "blank" / f"{place}.png", np.full((32, 32, 3), (0, 128, 0), dtype=np.uint8))

    assert not check_data("drawn", select=["images-damaged"]).findings
    (found,) = check_data("blank", select=["images-damaged"]).findings
    assert found.saw.startswith("4 of 4 images are a single colour: 0.png")
