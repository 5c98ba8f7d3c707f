"""All numbers of one score."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from zoo.scoring.case import Case, HealthyCase
from zoo.scoring.numbers import Calibration, Share, calibration, share

FEWEST = 5
"""Groups with fewer mutants are put together: a share of three says little, and may tell which one was missed."""
THE_REST = "fewer than five each"


@dataclass(frozen=True, slots=True)
class Group:
    """Mutants that have something in common."""

    name: str
    caught: Share
    right: Share
    line_right: Share


@dataclass(frozen=True, slots=True)
class Times:
    """Medians over the cases."""

    seconds: float
    ratio: float
    """To the plain run."""


@dataclass(frozen=True, slots=True)
class Score:
    programs: int
    """How many programs the mutants come from."""
    whole: Group
    groups: dict[str, tuple[Group, ...]]
    """By what they have in common: cause, flow, form, domain."""
    ends: tuple[tuple[str, int], ...]
    """How many mutants came to each end, the most frequent first."""
    right_of_caught: Share
    false_alarms: Share
    """Healthy programs that were called ill."""
    nags: Share
    """Healthy programs that were warned about."""
    unjudged: Share
    """Programs and mutants on which firstlight came to no verdict."""
    calibration: Calibration
    healthy_times: Times
    mutant_times: Times


KEYS: dict[str, Callable[[Case], str]] = {
    "cause": lambda case: case.mutant.mutation.cause,
    "flow": lambda case: case.mutant.mutation.flow,
    "form": lambda case: case.mutant.mutation.form,
    "domain": lambda case: case.program.domain,
}


def score(cases: Sequence[Case], healthy: Sequence[HealthyCase]) -> Score:
    everything: list[Case | HealthyCase] = [*cases, *healthy]
    return Score(
        programs=len({case.program.slug for case in cases}),
        whole=_group("all", cases),
        groups={title: _groups(cases, key) for title, key in KEYS.items()},
        ends=tuple(Counter(case.end for case in cases).most_common()),
        right_of_caught=share((case.program.slug, case.right) for case in cases if case.caught),
        false_alarms=share((case.program.slug, case.judgement.verdict == "ill") for case in healthy),
        nags=share((case.program.slug, case.judgement.verdict == "warn") for case in healthy),
        unjudged=share((case.program.slug, case.judgement.verdict == "unjudged") for case in everything),
        calibration=calibration(claims_of(everything)),
        healthy_times=_times(healthy),
        mutant_times=_times(cases),
    )


def claims_of(cases: Iterable[Case | HealthyCase]) -> list[tuple[float, bool]]:
    """The probability of each cause that was named first, and whether it was right."""
    return [(case.claim.probability, case.right) for case in cases if case.claim is not None]


def _group(name: str, cases: Sequence[Case]) -> Group:
    return Group(
        name,
        caught=share((case.program.slug, case.caught) for case in cases),
        right=share((case.program.slug, case.right) for case in cases),
        line_right=share((case.program.slug, case.line_right) for case in cases),
    )


def _groups(cases: Sequence[Case], key: Callable[[Case], str]) -> tuple[Group, ...]:
    sizes = Counter(key(case) for case in cases)
    members: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        name = key(case)
        members[name if sizes[name] >= FEWEST else THE_REST].append(case)
    names = sorted(members, key=lambda name: (name == THE_REST, name))
    return tuple(_group(name, members[name]) for name in names)


def _times(cases: Sequence[Case] | Sequence[HealthyCase]) -> Times:
    if not cases:
        return Times(0.0, 0.0)
    return Times(
        median(case.judgement.seconds for case in cases),
        median(case.judgement.seconds / case.plain_seconds for case in cases),
    )
