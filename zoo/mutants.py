"""A mutant: one mutation planted at one site of one program."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from zoo.mutations.source import Source
from zoo.records import Mutation, Planted, Program
from zoo.split import HALVES, Half, half_of

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Mutant:
    program: Program
    mutation: Mutation
    planted: Planted

    @property
    def id(self) -> str:
        return f"{self.program.slug}/{self.mutation.name}/{self.planted.site.key}"

    @property
    def half(self) -> Half | None:
        return half_of(self.program, self.mutation)

    @property
    def files(self) -> Mapping[str, str]:
        """All files of the mutant, the unchanged ones included."""
        return {**self.program.files, **self.planted.files}

    @property
    def content(self) -> str:
        """Changes whenever the program or the mutant does."""
        return fingerprint(content_of(self.program), *_spelt(self.planted.files))


def content_of(program: Program) -> str:
    """Changes whenever the program's files or its command do."""
    return fingerprint(*program.command, "", *_spelt(program.files))


def fingerprint(*texts: str) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(hashlib.sha256(text.encode()).digest())
    return digest.hexdigest()[:16]


def mutants_of(
    programs: Iterable[Program], catalogue: Sequence[Mutation], halves: Collection[Half | None] = (*HALVES, None)
) -> Iterator[Mutant]:
    """Those of the given halves; None stands for the mixed ones. Planting takes time, so the others are not made."""
    for program in programs:
        source = Source(program)
        for mutation in catalogue:
            if half_of(program, mutation) not in halves:
                continue
            for planted in mutation.plant(source):
                yield Mutant(program, mutation, planted)


def in_fair_order(mutants: Iterable[Mutant]) -> list[Mutant]:
    """An order whose every beginning has causes in equal parts, and within them mutations, and then programs.

    It follows from the names alone, so that a sample is the same everywhere and a longer one contains a shorter one.
    """
    keys: list[Callable[[Mutant], str]] = [
        lambda mutant: mutant.mutation.cause,
        lambda mutant: mutant.mutation.name,
        lambda mutant: mutant.program.slug,
        lambda mutant: mutant.id,
    ]
    return _interleaved(list(mutants), keys)


def _interleaved(items: list[Item], keys: Sequence[Callable[[Item], str]]) -> list[Item]:
    """Takes one item of each group in turn, the groups being those of the first key."""
    if not keys:
        return items
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[keys[0](item)].append(item)
    rows = [_interleaved(groups[name], keys[1:]) for name in sorted(groups, key=fingerprint)]
    longest = max((len(row) for row in rows), default=0)
    return [row[at] for at in range(longest) for row in rows if at < len(row)]


def _spelt(files: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(files):
        yield name
        yield files[name]
