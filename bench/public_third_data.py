"""Data for the third round of public programs, made here."""

import pickle
from pathlib import Path

import numpy as np


def visits(folder: Path) -> None:
    """Users who visit items of one taste, mostly the next after the last: 400 users, 120 items, from 4 to 30 visits."""
    chance = np.random.default_rng(0)
    rows = []
    for user in range(1, 401):
        taste, at = chance.integers(0, 6), chance.integers(0, 20)
        for _ in range(chance.integers(4, 31)):
            at = (at + (1 if chance.random() < 0.8 else chance.integers(1, 20))) % 20
            rows.append(f"{user} {taste * 20 + at + 1}")
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data/made.txt").write_text("\n".join(rows) + "\n")


def digits_of_1989(folder: Path) -> None:
    """Digits of scikit-learn, 16 by 16 between -1 and 1, with answers of -1 and 1."""
    import torch
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    large = np.kron(images.reshape(-1, 1, 8, 8), np.ones((2, 2))) / 8 - 1
    answers = np.where(np.eye(10)[labels] > 0, 1.0, -1.0)
    both = torch.tensor(large, dtype=torch.float32), torch.tensor(answers, dtype=torch.float32)
    torch.save(tuple(one[:1500] for one in both), folder / "train1989.pt")
    torch.save(tuple(one[1500:] for one in both), folder / "test1989.pt")


def no_tables(folder: Path) -> None:
    """A module it imports for other data than ours."""
    (folder / "h5py.py").write_text("")


def graphs(folder: Path) -> None:
    """Trees, and trees with a few rings more, in the format of the paper's datasets; nodes have one of three tags."""
    chance = np.random.default_rng(0)
    lines = ["300"]
    for one in range(300):
        size, ringed = int(chance.integers(8, 20)), one % 2
        near: list[set[int]] = [set() for _ in range(size)]
        pairs = [(node, int(chance.integers(0, node))) for node in range(1, size)]
        rings = (chance.choice(size, 2, replace=False) for _ in range(3 * ringed))
        pairs += [(int(here), int(there)) for here, there in rings]
        for here, there in pairs:
            near[here].add(there)
            near[there].add(here)
        lines.append(f"{size} {ringed}")
        lines += [" ".join(map(str, (chance.integers(0, 3), len(some), *sorted(some)))) for some in near]
    (folder / "dataset/MADE").mkdir(parents=True)
    (folder / "dataset/MADE/MADE.txt").write_text("\n".join(lines) + "\n")


def headlines(folder: Path) -> None:
    """Headlines of four kinds: each kind prefers some of 300 signs, and a fifth of the signs tell nothing."""
    chance = np.random.default_rng(0)
    signs = np.array([chr(0x4E00 + one) for one in range(300)])
    taste = np.exp(1.2 * chance.standard_normal((4, 300)))
    taste /= taste.sum(1, keepdims=True)
    place = folder / "THUCNews/data"
    place.mkdir(parents=True)
    (folder / "THUCNews/saved_dict").mkdir()
    (place / "class.txt").write_text("sport\nmoney\ngames\nhouses\n")
    for name, count in (("train", 12000), ("dev", 600), ("test", 600)):
        kinds = chance.integers(0, 4, count)
        lengths = chance.integers(8, 28, count)
        lines = [
            "".join(chance.choice(signs, length, p=taste[kind])) + f"\t{kind}"
            for kind, length in zip(kinds, lengths, strict=True)
        ]
        (place / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def spectra(folder: Path) -> None:
    """Mel spectra between 0 and 1 of eight speakers, each with its own pitch and an embedding."""
    chance = np.random.default_rng(0)
    place = folder / "spmel"
    speakers = []
    bands = np.arange(80)
    for speaker in range(8):
        name = f"p{speaker}"
        (place / name).mkdir(parents=True)
        pitch, embedding = chance.uniform(5, 15), chance.standard_normal(256)
        files = []
        for one in range(5):
            length = int(chance.integers(40, 120))
            rise = np.cumsum(0.3 * chance.standard_normal(length))[:, None]
            voice = 0.5 + 0.4 * np.cos(2 * np.pi * (bands + rise) / pitch) * np.exp(-bands / 60)
            voice += 0.03 * chance.standard_normal(voice.shape)
            files.append(f"{name}/{one}.npy")
            np.save(place / files[-1], voice.clip(0, 1).astype(np.float32))
        speakers.append([name, (embedding / np.linalg.norm(embedding)).astype(np.float32), *files])
    (place / "train.pkl").write_bytes(pickle.dumps(speakers))
