"""One judged program or mutant, beside the truth about it."""

from dataclasses import dataclass
from pathlib import PurePath

from zoo.mutants import Mutant
from zoo.records import Planted, Program
from zoo.scoring.judging import Claim, Judgement

LINES_AROUND = 3
"""A finding so many lines from the planted one still points a reader at it."""


@dataclass(frozen=True, slots=True)
class Case:
    """A mutant and what was said about it."""

    mutant: Mutant
    judgement: Judgement
    twin: Judgement
    """What was said about the healthy program."""
    plain_seconds: float
    """How long the mutant runs by itself."""

    @property
    def program(self) -> Program:
        return self.mutant.program

    @property
    def caught(self) -> bool:
        """The verdict is ill or warn, and that of the healthy twin is not: what is said of both says nothing."""
        return self.judgement.alarmed and not self.twin.alarmed

    @property
    def right(self) -> bool:
        """It is caught, and the first cause that is named is the planted one."""
        first = self.judgement.first
        return self.caught and first is not None and first.cause == self.mutant.mutation.cause

    @property
    def line_right(self) -> bool:
        """It is caught, and an error or a warning stands within a few lines of the planted fault."""
        return self.caught and points_at(self.judgement, self.mutant.planted)

    @property
    def end(self) -> str:
        """What became of it, in words that name no case."""
        if self.right:
            return "right cause first"
        named = self.mutant.mutation.cause in self.judgement.named
        if self.caught:
            return "caught, the right cause further down" if named else "caught, the right cause not named"
        if self.judgement.alarmed:
            return "alarmed, and its healthy twin too"
        if self.judgement.verdict != "clean":
            return "no verdict"
        if named:
            return "clean, the right cause in a note"
        return "clean, and certified to learn" if self.judgement.certified else "clean, and not certified to learn"

    @property
    def claim(self) -> Claim | None:
        return self.judgement.claim


@dataclass(frozen=True, slots=True)
class HealthyCase:
    """A healthy program and what was said about it."""

    program: Program
    judgement: Judgement
    plain_seconds: float

    @property
    def right(self) -> bool:
        """No cause that is named for a healthy program is right."""
        return False

    @property
    def claim(self) -> Claim | None:
        return self.judgement.claim


def points_at(judgement: Judgement, planted: Planted) -> bool:
    return any(
        PurePath(place.file) == PurePath(planted.site.file) and abs(place.line - planted.line) <= LINES_AROUND
        for place in judgement.places
    )
