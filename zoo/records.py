"""The nouns of the zoo: a program, its metric, a mutation, and one place where it was planted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from zoo.mutations.source import Source


@dataclass(frozen=True, slots=True)
class Metric:
    """The number a program prints at its end, and what it is worth."""

    name: str
    pattern: str
    """A regular expression with one group, a float; its last match on standard output counts."""
    better: Literal["higher", "lower"]
    reaches: float
    """What the healthy program gets."""
    chance: float
    """What an untrained or blind model gets."""


@dataclass(frozen=True, slots=True)
class Program:
    """A healthy training program in a folder of its own."""

    slug: str
    folder: Path
    title: str
    domain: str
    style: tuple[str, ...]
    command: tuple[str, ...]
    """What follows `python`; the folder is the working directory."""
    needs: tuple[str, ...]
    """Packages beyond torch, numpy and scikit-learn."""
    seconds: float
    metric: Metric
    files: Mapping[str, str]
    """The text of every text file of the program, by its path inside the folder."""


@dataclass(frozen=True, slots=True)
class Site:
    """A place in a program."""

    file: str
    line: int
    key: str
    """A name of the place that survives edits elsewhere: never the line number."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A mutation at one site: the changed files, and the line of the fault in `site.file` of the mutant."""

    site: Site
    files: Mapping[str, str]
    line: int


@dataclass(frozen=True, slots=True)
class Mutation:
    """One form of one fault, and how it is planted."""

    name: str
    """The form, in kebab-case and unique."""
    cause: str
    """A slug of the public list of causes."""
    flow: str
    """values, gradients, influence, updates, answers, life or data."""
    form: str
    """Where it sits: loop, helper, class, other-file, data, config, framework, api."""
    says: str
    """One sentence: what a person did wrong."""
    leaks: bool
    """The mutant's own metric becomes better than it should be."""
    plant: Callable[[Source], Iterator[Planted]]
