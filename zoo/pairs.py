"""Pairs of programs written by hand: one with a bug that people ship, one without, and healthy ones that look odd.

Their author had never seen firstlight. What was said of each at the first look is kept in `first_looks.json` beside the
mutants': from then on they are like any other program that is known.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from zoo.scoring.counting import Look, look_at
from zoo.scoring.judging import Firstlight, Judgement

FOLDER = Path(__file__).parent / "pairs"
SICK, HEALTHY = "train.py", "fixed.py"


@dataclass(frozen=True, slots=True)
class Pair:
    """One folder; `cause` is empty where there is only a healthy program."""

    name: str
    cause: str
    fair: tuple[str, ...]
    """Other causes that would be a fair name for it."""
    line: int
    folder: Path

    def files(self, main: str) -> dict[str, str]:
        """Of the sick program or the healthy one, which is called `train.py` too."""
        modules = [path for path in self.folder.glob("*.py") if path.name not in (SICK, HEALTHY)]
        texts = {path.name: path.read_text(encoding="utf-8") for path in modules}
        return {**texts, SICK: (self.folder / main).read_text(encoding="utf-8")}

    def right(self, judgement: Judgement) -> bool:
        return judgement.first is not None and judgement.first.cause in (self.cause, *self.fair)


def load(folder: Path = FOLDER) -> Iterator[Pair]:
    for place in sorted(path for path in folder.iterdir() if path.is_dir()):
        case = place / "case.json"
        told = json.loads(case.read_text(encoding="utf-8")) if case.exists() else {}
        yield Pair(place.name, told.get("cause", ""), tuple(told.get("fair", ())), told.get("line", 0), place)


@dataclass(frozen=True, slots=True)
class Looked:
    """One program of a pair, and what was said of it."""

    pair: Pair
    main: str
    judgement: Judgement

    @property
    def sick(self) -> bool:
        return self.main == SICK

    @property
    def grade(self) -> str:
        if not self.judgement.alarmed:
            return "missed" if self.sick else "quiet"
        return "alarmed" if not self.sick else "right" if self.pair.right(self.judgement) else "caught"

    @property
    def name(self) -> str:
        return f"{self.pair.name}/{self.main}"

    @property
    def look(self) -> Look:
        """What is kept of a first look. Of a healthy program every claim is wrong."""
        return look_at(self.judgement.said, self.grade == "right")

    def __str__(self) -> str:
        first = self.judgement.first
        said = f"{first.cause} {first.probability:.2f}" if first is not None else "nothing"
        truth = f"{self.pair.cause}: " if self.sick else ""
        return f"{self.grade:<8} {self.judgement.verdict:<9} {self.name}  {truth}said {said}"


def programs_of(pairs: Iterable[Pair]) -> list[tuple[Pair, str]]:
    """The sick ones first."""
    known = list(pairs)
    return [*((pair, SICK) for pair in known if pair.cause), *((pair, HEALTHY) for pair in known)]


def looked_at(pair: Pair, main: str, firstlight: Firstlight) -> Looked:
    return Looked(pair, main, firstlight.judge(pair.files(main), (SICK,)))


def summary(seen: Sequence[Looked]) -> str:
    grades = Counter(one.grade for one in seen)
    sick = grades["missed"] + grades["caught"] + grades["right"]
    caught = f"caught {grades['caught'] + grades['right']} of {sick}, cause right {grades['right']}"
    return f"{caught}; healthy alarmed {grades['alarmed']} of {grades['alarmed'] + grades['quiet']}"
