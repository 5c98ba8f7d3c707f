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


def photographs(folder: Path) -> None:
    """CIFAR-10's pickles: each class has a shape and a leaning of colour, neither of which is enough by itself."""
    import pickle

    chance = np.random.default_rng(0)
    across, down = np.meshgrid(np.linspace(-1, 1, 32), np.linspace(-1, 1, 32))
    shapes = (
        lambda x, y: x**2 + y**2 < 0.4,
        lambda x, y: (abs(x) < 0.6) & (abs(y) < 0.6),
        lambda x, y: abs(x) + abs(y) < 0.7,
        lambda x, y: abs(np.sin(6 * x)) > 0.7,
        lambda x, y: abs(np.sin(6 * y)) > 0.7,
    )
    place = folder / "cifar-10-batches-py"
    place.mkdir(parents=True, exist_ok=True)
    for name in (*(f"data_batch_{one}" for one in range(1, 6)), "test_batch"):
        labels = chance.integers(0, 10, 1000)
        pictures = 110 + 25 * chance.standard_normal((1000, 3, 32, 32)) + chance.uniform(-40, 40, (1000, 3, 1, 1))
        for picture, label, (x, y) in zip(pictures, labels, chance.uniform(-0.3, 0.3, (1000, 2)), strict=True):
            drawn = shapes[label % 5](across - x, down - y)
            picture[0 if label < 5 else 2] += 60 * drawn
            picture[1] += chance.uniform(-20, 20) * drawn
        rows = pictures.clip(0, 255).astype(np.uint8).reshape(1000, -1)
        (place / name).write_bytes(pickle.dumps({"data": rows, "labels": labels.tolist()}))
    names = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
    (place / "batches.meta").write_bytes(pickle.dumps({"label_names": names}))


def _voyage(count: int, seed: int) -> dict[str, np.ndarray]:
    """Passengers: who is a woman, rich or a child is likelier to survive; some ages are not known."""
    chance = np.random.default_rng(seed)
    rank = chance.choice([1, 2, 3], count, p=[0.25, 0.2, 0.55])
    woman = chance.random(count) < 0.36
    age = np.round(chance.gamma(4, 7.5, count), 1)
    likely = 1.6 * woman - 0.8 * (rank - 2) - 0.03 * (age - 30) - 0.6
    return {
        "Survived": (chance.random(count) < 1 / (1 + np.exp(-2 * likely))).astype(int),
        "Pclass": rank,
        "Sex": np.where(woman, "female", "male"),
        "Age": np.where(chance.random(count) < 0.2, np.nan, age),
        "SibSp": chance.poisson(0.5, count),
        "Parch": chance.poisson(0.4, count),
        "Fare": np.round(chance.lognormal(4.5 - 0.8 * rank, 0.5), 4),
        "Embarked": chance.choice(["S", "C", "Q"], count, p=[0.7, 0.2, 0.1]),
    }


def passengers(folder: Path) -> None:
    """Kaggle's Titanic: two files, the second without answers."""
    import pandas as pd

    for name, count, seed in (("train", 891, 0), ("test", 418, 1)):
        rows = pd.DataFrame(_voyage(count, seed))
        rows.insert(0, "PassengerId", np.arange(count) + 1 + 891 * seed)
        rows.insert(3, "Name", [f"Stone, Mr. Number {number}" for number in rows["PassengerId"]])
        rows["Ticket"], rows["Cabin"] = rows["PassengerId"] * 7, ""
        rows.drop(columns=["Survived"] * seed).to_csv(folder / f"{name}.csv", index=False)


def passengers_cleaned(folder: Path) -> None:
    """The same in one file with small names, without gaps; and where its plot goes."""
    import pandas as pd

    rows = pd.DataFrame(_voyage(891, 0)).rename(columns=str.lower)
    rows["age"] = rows["age"].fillna(rows["age"].median())
    (folder / "dataset").mkdir(exist_ok=True)
    (folder / "graphs").mkdir(exist_ok=True)
    rows.to_csv(folder / "dataset" / "cleaned_titanic_dataset.csv", index=False)


def houses(folder: Path) -> None:
    """Kaggle's house prices with fewer columns: numbers with gaps, words, and the price in the last column."""
    import pandas as pd

    chance = np.random.default_rng(0)
    folder.mkdir(parents=True, exist_ok=True)
    count = 2919
    area, quality = chance.normal(1500, 400, count).clip(400), chance.integers(1, 11, count)
    place, year = chance.integers(0, 8, count), chance.integers(1900, 2010, count)
    price = 40 * area + 14000 * quality + 9000 * place + 300 * (year - 1900) + chance.normal(0, 9000, count)
    rows = pd.DataFrame(
        {
            "Id": np.arange(count) + 1,
            "GrLivArea": area.round(),
            "OverallQual": quality,
            "Neighborhood": [f"part{one}" for one in place],
            "YearBuilt": year,
            "LotFrontage": np.where(chance.random(count) < 0.2, np.nan, chance.normal(70, 20, count).round()),
            "Street": chance.choice(["Pave", "Grvl"], count, p=[0.95, 0.05]),
            "SalePrice": price.round(),
        }
    )
    rows[:1460].to_csv(folder / "train.csv", index=False)
    rows[1460:].drop(columns="SalePrice").to_csv(folder / "test.csv", index=False)


def blocks(folder: Path, models: str = "") -> None:
    """California housing where scikit-learn keeps it, and where the program saves its model."""
    import joblib

    chance = np.random.default_rng(0)
    count = 6000
    rooms = chance.lognormal(1.6, 0.3, count)
    income = chance.gamma(3, 1.3, count)
    north, west = chance.uniform(32, 42, count), chance.uniform(-124, -114, count)
    people = chance.lognormal(7, 0.7, count)
    homes = people / chance.lognormal(1.05, 0.2, count)
    value = 100000 * (0.4 * income + 0.15 * rooms + 0.8 * np.exp(-((north - 37) ** 2)) + chance.normal(0, 0.3, count))
    # kept are the rooms, bedrooms and people of a whole block; averages are made when it is read
    columns = [value.clip(15000, 500000), income, chance.integers(1, 52, count), rooms * homes, 1.07 * homes, people]
    place = folder / "scikit_learn_data"
    place.mkdir(parents=True, exist_ok=True)
    joblib.dump(np.column_stack([*columns, homes, north, west]), place / "cal_housing_py3.pkz", compress=6)
    if models:
        (folder / models).mkdir(exist_ok=True)


def irises(folder: Path) -> None:
    from sklearn.datasets import load_iris

    iris = load_iris()
    names = [f"Iris-{iris.target_names[one]}" for one in iris.target]
    rows = [",".join([*map(str, row), name]) for row, name in zip(iris.data, names, strict=True)]
    (folder / "iris.csv").write_text("\n".join(rows) + "\n")


def echoes(folder: Path) -> None:
    """Sonar: sixty bands between 0 and 1 that are rounder for a mine than for a rock."""
    chance = np.random.default_rng(0)
    band = np.linspace(0, 1, 60)
    rows = []
    for mine in chance.integers(0, 2, 208):
        peak, width = (0.4, 0.25) if mine else (0.55, 0.15)
        echo = np.exp(-(((band - peak - chance.normal(0, 0.06)) / width) ** 2)) * chance.uniform(0.5, 1)
        echo = (echo + chance.normal(0, 0.08, 60)).clip(0, 1)
        rows.append(",".join([*(f"{one:.4f}" for one in echo), "M" if mine else "R"]))
    (folder / "sonar.csv").write_text("\n".join(rows) + "\n")


def patients(folder: Path) -> None:
    """Pima diabetes: eight columns in their own units, and whether the illness came."""
    chance = np.random.default_rng(0)
    sugar, weight = chance.normal(120, 30, 768).round(), chance.normal(32, 7, 768).round(1)
    age = (21 + chance.gamma(1.5, 8, 768)).round()
    ill = 0.05 * (sugar - 130) + 0.1 * (weight - 33) + 0.03 * (age - 33) + chance.normal(0, 0.7, 768) > 0
    columns = [
        chance.poisson(3.8, 768),
        sugar,
        chance.normal(70, 15, 768).round(),
        chance.normal(20, 10, 768).clip(0).round(),
        chance.gamma(1, 80, 768).round(),
        weight,
        chance.gamma(2, 0.25, 768).round(3),
        age,
        ill.astype(int),
    ]
    np.savetxt(folder / "pima-indians-diabetes.csv", np.column_stack(columns), delimiter=",", fmt="%g")


def gym(folder: Path) -> None:
    """The old name of gymnasium."""
    (folder / "gym.py").write_text("from gymnasium import *\nfrom gymnasium import make\n")
