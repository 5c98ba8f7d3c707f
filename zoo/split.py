"""The two halves of the zoo: what is tuned on is never what is reported.

Programs and mutations are divided by a hash of their names, so that the split is the same everywhere and nobody chooses
it. A mutant belongs to a half only if its program and its mutation both do; the mixed ones are used for neither.
"""

import hashlib
from typing import Literal, get_args

from zoo.records import Mutation, Program

Half = Literal["tune", "report"]
HALVES: tuple[Half, ...] = get_args(Half)


def half_of_program(program: Program) -> Half:
    return _half(f"program/{program.slug}")


def half_of_mutation(mutation: Mutation) -> Half:
    return _half(f"mutation/{mutation.name}")


def half_of(program: Program, mutation: Mutation) -> Half | None:
    """None for a mutant that is mixed, and so in neither half."""
    half = half_of_program(program)
    return half if half == half_of_mutation(mutation) else None


def _half(name: str) -> Half:
    return HALVES[hashlib.sha256(name.encode()).digest()[0] % 2]
