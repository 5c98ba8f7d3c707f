"""Data for the second round of public programs, made here or rearranged from what lies in the repository itself."""

import base64
import re
import shutil
from pathlib import Path

import numpy as np

CALLBACKS = """
class Callback:
    def set_model(self, model): self.model = model
    def on_train_begin(self, logs=None): pass
    def on_train_end(self, logs=None): pass
    def on_epoch_begin(self, epoch, logs=None): pass
    def on_epoch_end(self, epoch, logs=None): pass

class History(Callback):
    def on_train_begin(self, logs=None): self.history = {}
    def on_epoch_end(self, epoch, logs=None):
        for name, value in (logs or {}).items(): self.history.setdefault(name, []).append(value)

class EarlyStopping(Callback): pass
class ModelCheckpoint(Callback): pass

class CallbackList:
    def __init__(self, callbacks): self.callbacks = callbacks
    def set_model(self, model):
        self.model = model
        for one in self.callbacks: one.set_model(model)
    def __getattr__(self, name):
        return lambda *given: [getattr(one, name)(*given) for one in self.callbacks] and None
"""
"""As much of what the programs import from Keras as they call."""


def decoded_patients(folder: Path) -> None:
    """The records that the program carries as text in one of its modules, where it would else ask at the keyboard."""
    carried = re.search(r'data = "([^"]+)"', (folder / "data.py").read_text(encoding="utf-8"))
    assert carried is not None
    (folder / "heart_failure.csv").write_bytes(base64.b64decode(carried[1]))


def transactions(folder: Path) -> None:
    """Kaggle's Santander with the columns that the author adds: 200 features and whether each value is rare."""
    import pandas as pd

    chance = np.random.default_rng(0)
    for name, count in (("train", 4000), ("test", 4000)):
        features = chance.normal(size=(count, 200)) * chance.uniform(0.5, 8, 200) + chance.uniform(-5, 20, 200)
        rare = (chance.random((count, 200)) < 0.3).astype(int)
        weight = np.random.default_rng(1).normal(size=200) * (np.arange(200) < 40)
        scaled = (features - features.mean(0)) / features.std(0)
        bought = scaled @ weight + chance.normal(size=count) > 4
        columns = {f"var_{one}": features[:, one].round(4) for one in range(200)}
        columns |= {f"has_unique_{one}": rare[:, one] for one in range(200)}
        rows = pd.DataFrame({"ID_code": [f"{name}_{one}" for one in range(count)], **columns})
        if name == "train":
            rows.insert(1, "target", bought.astype(int))
        rows.to_csv(folder / f"new_shiny_{name}.csv", index=False)


def samples(folder: Path) -> None:
    """The repository's own samples, where a program started from its root looks for them; and Keras's callbacks."""
    for path in (folder / "examples").glob("*.txt"):
        shutil.copy(path, folder / path.name)
    place = folder / "tensorflow/python/keras"
    place.mkdir(parents=True)
    (place / "callbacks.py").write_text(CALLBACKS)


def other_drive(folder: Path) -> None:
    """The repository's own tables, under the names they had on the author's machine."""
    place = folder / "E:/BianCheng/Heart Attack Predictor/dataset"
    place.mkdir(parents=True)
    shutil.copy(folder / "dataset/heart_attack_prediction_dataset.csv", place)
    shutil.copy(folder / "dataset/test.csv", folder / r"E:\BianCheng\Heart Attack Predictor\dataset\test.csv")


def cars(folder: Path) -> None:
    """Pictures of one bright shape each before a varied ground, with masks; and a tracker that keeps nothing."""
    from PIL import Image

    chance = np.random.default_rng(0)
    across, down = np.meshgrid(np.arange(32), np.arange(32))
    for part in ("imgs", "masks"):
        (folder / "data" / part).mkdir(parents=True)
    for one in range(120):
        x, y, wide, high = chance.uniform((10, 10, 4, 3), (22, 22, 10, 8))
        mask = ((across - x) / wide) ** 2 + ((down - y) / high) ** 2 < 1
        picture = chance.uniform(20, 120, 3) + 25 * chance.standard_normal((32, 32, 3))
        picture[mask] += chance.uniform(60, 120, 3)
        Image.fromarray(picture.clip(0, 255).astype(np.uint8)).save(folder / "data/imgs" / f"{one:03}.png")
        Image.fromarray(mask.astype(np.uint8)).save(folder / "data/masks" / f"{one:03}_mask.png")
    (folder / "wandb.py").write_text(
        "class _Run:\n"
        "    def __init__(self): self.config = self\n"
        "    def update(self, *_): pass\n"
        "    def log(self, *_): pass\n"
        "def init(**_): return _Run()\n"
        "def Histogram(value): return None\n"
        "def Image(value): return None\n"
    )


def transformers(folder: Path) -> None:
    """Seven hourly series of a day, a week and a slow drift, as in ETTh1; and the old name of infinity in numpy."""
    import pandas as pd

    chance = np.random.default_rng(0)
    hours = np.arange(20 * 30 * 24)
    columns = {}
    for name in ("HUFL", "HULL", "MUFL", "MULL", "LUFL", "LULL", "OT"):
        day, week, phase = chance.uniform((1, 0.5, 0), (3, 1.5, 6))
        wave = day * np.sin(hours * 2 * np.pi / 24 + phase) + week * np.sin(hours * 2 * np.pi / 168)
        drift = np.cumsum(0.02 * chance.standard_normal(len(hours)))
        columns[name] = (10 + wave + drift + 0.3 * chance.standard_normal(len(hours))).round(4)
    dates = pd.date_range("2016-07-01", periods=len(hours), freq="h")
    pd.DataFrame({"date": dates, **columns}).to_csv(folder / "ETTh1.csv", index=False)
    (folder / "sitecustomize.py").write_text("import numpy\nnumpy.Inf = numpy.inf\n")
