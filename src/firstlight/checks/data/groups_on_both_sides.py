"""Groups of examples that belong together lie on both sides of the split, and tell the answers.

## What it sees
The tree of shortest ways between the examples trained on has ways of two kinds: examples come in many small groups, far
nearer to each other than to the rest; or the program holds a column as long as the table of its examples that names
many groups (`people`, `subject`, `session`), and the split did not go by it. All of a group have one answer, and the
evaluated examples, other ones than those trained on, lie in the same groups. A plain fit foretells answers well where
single examples are left out, and hardly where whole groups are: what the evaluation measures is whether a patient, a
speaker, a recording or a picture is recognised, and of new ones it says nothing.

## When it is fine
Where the program will only ever be asked about the same groups. Groups that are the classes themselves are not told,
nor are examples of one group that have different answers, nor groups that a fit to the others foretells as well.
Training examples that are changed at random come again in later passes; only one pass is looked at.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Groups, Relations


class Limits(Settable):
    groups: int = 12
    """Of two examples and more; fewer may be what the classes are made of."""
    by_class: float = 3.0
    """Groups for each class, at least: with about one, they are the classes."""
    shared: float = 0.85
    """Of the examples that lie in a group; of examples that do not come in groups, two thirds do."""
    largest: float = 0.2
    """Of the examples in the largest group: then the rest are what lies aside."""
    parted: float = 0.68
    """How clearly ways are of two kinds; ways of one kind give 0.64."""
    farther: float = 1.5
    """Times as far from a group to the next as within it."""
    agree: float = 0.75
    """Of what answers differ by, that lies between groups."""
    known: float = 0.8
    """Of the evaluated examples that lie in a group that was trained on, in each evaluation."""
    by_rows: float = 0.5
    """How well single examples are foretold; where less is, nothing can be told."""
    by_groups: float = 0.4
    """Times as well, at most, as whole groups are."""


def find(relations: Relations, limits: Limits) -> Found:
    seen = relations.seen
    told = [groups for groups in (seen.groups_named, seen.groups) if _on_both_sides(groups, limits)]
    if seen.acting or not told:
        return
    groups = told[0]
    kind = "examples, named by a column of the program," if groups.named else "near examples"
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"{groups.groups:,} groups of {kind} with one answer each, and at least {groups.known:.0%} of the "
        f"{groups.evaluated:,} evaluated examples lie in one of them; a plain fit foretells {groups.by_rows:.0%} of "
        f"single examples that it was not given, and {max(0.0, groups.by_groups):.0%} of groups that it was not given",
        wanted="each group on one side of the split alone",
        numbers={
            "groups": groups.groups,
            "known": groups.known,
            "by_rows": groups.by_rows,
            "by_groups": groups.by_groups,
        },
    )


def _on_both_sides(groups: Groups, limits: Limits) -> bool:
    there = _are_groups(groups, limits) and groups.known >= limits.known and groups.by_rows >= limits.by_rows
    return there and groups.by_groups <= limits.by_groups * groups.by_rows


def _are_groups(groups: Groups, limits: Limits) -> bool:
    many = groups.groups >= max(limits.groups, limits.by_class * groups.classes)
    apart = groups.parted >= limits.parted and groups.between >= limits.farther * groups.within
    whole = groups.shared >= limits.shared and groups.largest <= limits.largest
    return many and (groups.named or (apart and whole)) and groups.agree >= limits.agree


CHECK = Check(
    id="FL187",
    summary="examples of one group are trained on and evaluated on",
    causes=("data-leak-split",),
    likely="rows of one patient, speaker, session or recording, or copies of one original, were divided at random",
    fix="divide by group (`GroupShuffleSplit`, `GroupKFold`, or originals before they are augmented), then score again",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
