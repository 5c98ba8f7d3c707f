"""Data in the formats that public programs expect, made here because nothing is downloaded."""

import random
import struct
from pathlib import Path

import numpy as np

DETERMINERS = ("the", "a", "every", "no", "some")
JOINTS = ("and", "while", "because", "until")


def sentences(count: int, seed: int = 0) -> list[str]:
    """Sentences of a small grammar: what a noun does, and to which noun, is fixed, so that there is something to learn."""
    chance = random.Random(seed)
    nouns = [f"{first}{last}" for first in ("st", "br", "cl", "m", "p") for last in ("one", "ink", "oat", "ear")]
    verbs = [f"{first}{last}" for first in ("dr", "sw", "h", "f") for last in ("ops", "ights", "olds", "inds", "ails")]
    adjectives = ["old", "small", "bright", "quiet", "heavy", "late"]

    def clause() -> list[str]:
        noun = chance.randrange(len(nouns))
        verb = (noun * 3 + chance.randrange(2)) % len(verbs)
        other = (noun + verb) % len(nouns)
        words = [chance.choice(DETERMINERS), nouns[noun], verbs[verb], chance.choice(DETERMINERS)]
        return [*words, *([chance.choice(adjectives)] if chance.random() < 0.3 else []), nouns[other]]

    def sentence() -> str:
        words = clause()
        if chance.random() < 0.3:
            words += [chance.choice(JOINTS), *clause()]
        return " ".join(words) + " ."

    return [sentence() for _ in range(count)]


def text(path: Path, count: int = 3000, seed: int = 0, first: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*first.splitlines(), *sentences(count, seed)]) + "\n", encoding="utf-8")


def corpus(folder: Path) -> None:
    """A word corpus in three files."""
    for seed, (name, count) in enumerate((("train", 6000), ("valid", 400), ("test", 400))):
        text(folder / f"{name}.txt", count, seed)


def tokens(folder: Path) -> None:
    """Characters as 16-bit numbers with the table of their names, as nanoGPT prepares them."""
    import pickle

    whole = "\n".join(sentences(4000))
    letters = sorted(set(whole))
    number = {letter: index for index, letter in enumerate(letters)}
    ids = np.array([number[letter] for letter in whole], dtype=np.uint16)
    folder.mkdir(parents=True, exist_ok=True)
    ids[: len(ids) * 9 // 10].tofile(folder / "train.bin")
    ids[len(ids) * 9 // 10 :].tofile(folder / "val.bin")
    table = {"vocab_size": len(letters), "itos": dict(enumerate(letters)), "stoi": number}
    (folder / "meta.pkl").write_bytes(pickle.dumps(table))


def digits(folder: Path) -> None:
    """Handwritten digits of scikit-learn as MNIST's raw files: 28 by 28, shifted a little, with the pen's noise."""
    from sklearn.datasets import load_digits

    chance = np.random.default_rng(0)
    images, labels = load_digits(return_X_y=True)
    large = np.kron(images.reshape(-1, 8, 8), np.ones((3, 3))) * (255 / 16)
    raw = folder / "MNIST" / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    for name, rows, count in (("train", slice(0, 1500), 6000), ("t10k", slice(1500, None), 1000)):
        chosen = chance.integers(0, len(labels[rows]), count)
        out = np.zeros((count, 28, 28))
        for one, (down, right) in zip(range(count), chance.integers(0, 5, (count, 2)), strict=True):
            out[one, down : down + 24, right : right + 24] = large[rows][chosen[one]]
        out = np.clip(out + 12 * chance.standard_normal(out.shape) * (out > 0), 0, 255).astype(np.uint8)
        (raw / f"{name}-images-idx3-ubyte").write_bytes(struct.pack(">4i", 2051, count, 28, 28) + out.tobytes())
        answers = labels[rows][chosen].astype(np.uint8)
        (raw / f"{name}-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 2049, count) + answers.tobytes())


def citations(folder: Path, papers: int = 1900) -> None:
    """A graph in Cora's two files: papers of one field share words and cite one another."""
    chance = np.random.default_rng(0)
    fields = chance.integers(0, 5, papers)
    words = chance.random((papers, 120)) < 0.03 + 0.12 * (np.arange(120) // 24 == fields[:, None])
    names = 1000 + chance.permutation(papers)
    rows = [
        "\t".join([str(name), *map(str, row.astype(int)), f"field{field}"])
        for name, row, field in zip(names, words, fields, strict=True)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cora.content").write_text("\n".join(rows) + "\n")
    cites = []
    for paper in range(papers):
        alike = np.flatnonzero(fields == fields[paper])
        others = [chance.choice(alike) if chance.random() < 0.8 else chance.integers(papers) for _ in range(3)]
        cites += [f"{names[other]}\t{names[paper]}" for other in others if other != paper]
    (folder / "cora.cites").write_text("\n".join(cites) + "\n")


def names(path: Path, count: int = 3000) -> None:
    """Invented first names, one a line, of syllables that follow one another in a few ways only."""
    chance = random.Random(0)
    after = {
        "": "mar jo e li ka",
        "mar": "ia co tin",
        "jo": "na el sef",
        "e": "li mil rik",
        "li": "sa am na",
        "ka": "ri te",
    }
    made: set[str] = set()
    while len(made) < count:
        syllable, name = "", ""
        while not name or (chance.random() < 0.8 and len(name) < 14):
            syllable = chance.choice(after.get(syllable, "a na ro di us la ne mi tor en").split())
            name += syllable
        made.add(name)
    path.write_text("\n".join(sorted(made)) + "\n", encoding="utf-8")


def pictures(folder: Path) -> None:
    """Pictures of overlapping discs and stripes for super-resolution."""
    from PIL import Image

    chance = np.random.default_rng(0)
    across, down = np.meshgrid(np.arange(256), np.arange(256))
    for part, count in (("train", 40), ("test", 10)):
        (folder / part).mkdir(parents=True, exist_ok=True)
        for one in range(count):
            picture = 90 + 60 * np.sin(across * chance.uniform(0.05, 0.4) + down * chance.uniform(0.05, 0.4))
            for x, y, size, shade in chance.uniform((0, 0, 10, 0), (256, 256, 60, 255), (6, 4)):
                picture[(across - x) ** 2 + (down - y) ** 2 < size**2] = shade
            Image.fromarray(picture.clip(0, 255).astype(np.uint8)).convert("RGB").save(folder / part / f"{one}.png")


def gym(folder: Path) -> None:
    """The old name of gymnasium."""
    (folder / "gym.py").write_text("from gymnasium import *\nfrom gymnasium import make\n")
