"""Examples of the same group are on both sides of the split, and the group gives the label away.

## What it sees
Examples come in many small groups. Either the minimum spanning tree of the training examples has edges of two kinds,
and examples of a group are far closer to each other than to the rest; or the program holds a column, as long as the
table of its examples, that names many groups (`people`, `subject`, `session`), and the split did not go by it. All
examples of a group have the same label, and the evaluated examples, though different from those trained on, lie in the
same groups. A simple fit predicts labels well if single examples are left out, but hardly if whole groups are, or with
twice as many errors. So the evaluation measures whether a patient, a speaker, a recording or a picture is recognized,
and says little or nothing about new ones.

## When it is fine
The program will only ever be used on the same groups. Groups that are the classes themselves are not reported, nor are
groups with different labels in them, nor groups that a fit to the other groups predicts as well. Randomly augmented
training examples come again in later passes, so only one pass is looked at.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.held_out import Groups
from firstlight.records.relations import Relations


class Limits(Settable):
    groups: int = 12
    """Fewest groups of two or more examples; fewer may be what the classes consist of."""
    by_class: float = 3.0
    """Fewest groups for each class; with about one, they are the classes."""
    shared: float = 0.85
    """Smallest share of the examples that lie in a group; without real groups, it is two thirds."""
    largest: float = 0.2
    """Largest share of the examples in one group; beyond it, the other groups are outliers."""
    parted: float = 0.68
    """Smallest value of how clearly the edges are of two kinds; edges of one kind give 0.64."""
    farther: float = 1.5
    """Smallest ratio of the distance between groups to the distance within a group."""
    agree: float = 0.75
    """Smallest share of the variation of the labels that lies between groups."""
    known: float = 0.8
    """Smallest share of the evaluated examples that lie in a group that was trained on, in each evaluation, relative to
    that of the examples trained on. Divided at random, both are the same; divided by group, none do."""
    by_rows: float = 0.5
    """Smallest skill of the fit on single examples left out; with less, nothing can be concluded."""
    by_groups: float = 0.4
    """Largest skill on whole groups left out, relative to that on single examples. Where inputs tell a part of the
    answer by themselves more is left, and then all three that follow must hold."""
    less: float = 0.1
    """Smallest difference between the two skills."""
    errors: float = 2.0
    """Fewest times as many errors on whole groups left out as on single examples; without groups, about as many."""
    lost: float = 3.0
    """Smallest number of deviations of luck by which those errors are more."""


def find(relations: Relations, limits: Limits) -> Found:
    seen = relations.seen
    told = [groups for groups in (seen.groups_named, seen.groups) if _on_both_sides(groups, limits)]
    if seen.acting or not told:
        return
    groups = told[0]
    kind = "examples, named by a column of the program," if groups.named else "close examples"
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"{groups.groups:,} groups of {kind} have one label each, and at least {groups.known:.0%} of the "
        f"{groups.evaluated:,} evaluated examples lie in one of them; a simple fit scores {groups.by_rows:.0%} on "
        f"single examples left out, and {max(0.0, groups.by_groups):.0%} on whole groups left out",
        wanted="each group on one side of the split only",
        numbers={
            "groups": groups.groups,
            "known": groups.known,
            "by_rows": groups.by_rows,
            "by_groups": groups.by_groups,
        },
    )


def _on_both_sides(groups: Groups, limits: Limits) -> bool:
    known = groups.known >= limits.known * (1.0 if groups.named else groups.shared)
    there = _are_groups(groups, limits) and known and groups.by_rows >= limits.by_rows
    hardly = groups.by_groups <= limits.by_groups * groups.by_rows
    less = groups.by_rows - groups.by_groups >= limits.less and groups.lost >= limits.lost
    return there and (hardly or (less and 1 - groups.by_groups >= limits.errors * (1 - groups.by_rows)))


def _are_groups(groups: Groups, limits: Limits) -> bool:
    many = groups.groups >= max(limits.groups, limits.by_class * groups.classes)
    apart = groups.parted >= limits.parted and groups.between >= limits.farther * groups.within
    whole = groups.shared >= limits.shared and groups.largest <= limits.largest
    return many and (groups.named or (apart and whole)) and groups.agree >= limits.agree


CHECK = Check(
    id="FL187",
    summary="examples of the same group are trained on and evaluated on",
    causes=("data-leak-split",),
    likely="rows of one patient, speaker, session or recording, or copies of one original, were split at random",
    fix="split by group (`GroupShuffleSplit`, `GroupKFold`, or the originals before augmenting them), then score again",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
