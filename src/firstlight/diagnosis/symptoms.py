"""A symptom in the user's words becomes observations. What no phrase matches is handed back, never guessed."""

import re
from dataclasses import dataclass

from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE
from firstlight.diagnosis.knowledge.declare import Phrase

REWRITES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"[’`]"), "'"),
    (re.compile(r"\bcan'?t\b|\bcannot\b"), "can not"),
    (re.compile(r"\bwon'?t\b"), "will not"),
    (re.compile(r"(\w)n't\b|\b(does|do|is|did|was|has)nt\b"), r"\1\2 not"),
    (re.compile(r"learning[- ]rate"), "lr"),
    (re.compile(r"\b(?:validation|valid|test|eval|evaluation|dev|held-?out)\b"), "val"),
    (re.compile(r"\btraining\b(?= (?:loss|acc|set|data|is|looks))|\btraining\b(?= (?:goes|improves|falls))"), "train"),
    (re.compile(r"\baccuracy\b"), "acc"),
    (re.compile(r"\bis (?:at|equal to|=) (?=\d)"), "stuck at "),
    (re.compile(r"\b0,(\d)"), r"0.\1"),
    (re.compile(r"\s+"), " "),
)
CLAUSE = re.compile(r"[;\n!?]|,\s(?:but |and )?|\.(?:\s|$)|\s(?:but|while|although|though|however|and)\s")
NEGATED = re.compile(r"\b(?:no|not(?! sure| clear| only)|never|without)(?: \w+){0,2} ?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    observations: dict[str, bool]
    """Present, or said to be absent."""
    read: tuple[tuple[str, tuple[str, ...]], ...]
    """The words that were understood, each with the observations it stands for."""
    not_understood: tuple[str, ...]


def parse(text: str, phrases: tuple[Phrase, ...] = KNOWLEDGE.phrases) -> Understood:
    plain = normalise(text)
    taken: list[tuple[int, int]] = []
    observations: dict[str, bool] = {}
    read: list[tuple[str, tuple[str, ...]]] = []
    for phrase in phrases:
        for found in re.finditer(phrase.pattern, plain):
            slugs = phrase.read(found)
            if not slugs or any(_overlap(found.span(), other) for other in taken):
                continue
            present = NEGATED.search(plain[: found.start()]) is None
            taken.append(found.span())
            read.append((found.group().strip(), slugs))
            observations.update({slug: present for slug in slugs if slug not in observations})
    return Understood(observations=observations, read=tuple(read), not_understood=_left(plain, taken))


def normalise(text: str) -> str:
    plain = text.lower()
    for pattern, replacement in REWRITES:
        plain = pattern.sub(replacement, plain)
    return plain.strip()


def _left(plain: str, taken: list[tuple[int, int]]) -> tuple[str, ...]:
    """The clauses that no phrase touches; single words are remains of longer ones, unless they are all there is."""
    left: list[str] = []
    start = 0
    for end, following in [*((cut.start(), cut.end()) for cut in CLAUSE.finditer(plain)), (len(plain), len(plain))]:
        clause = plain[start:end].strip()
        if " " in clause and not any(_overlap((start, end), other) for other in taken):
            left.append(clause)
        start = following
    return tuple(left) if left or taken or not plain else (plain,)


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]
