"""`ablate`: which parts of a training matter? Each is switched off alone, then added back alone to nothing."""

from collections.abc import Sequence
from dataclasses import replace

from msgspec import structs

from firstlight.errors import UsageError
from firstlight.lab.compare import AgainstReference, CompareQuestion, Variants, gathered, seed_plot
from firstlight.lab.metric import choose
from firstlight.lab.trials import Run, Runner, must_have_run
from firstlight.observe.target import Target
from firstlight.records.finding import Scalar
from firstlight.records.lab import LabReport, LabTable
from firstlight.settings import nearest

EAGER = ("eager",)
"""Parts are switched off by hooks, which compiled code would pass by; so the reference is not compiled either."""
AS_IT_IS, BARE = "as it is", "nothing"
WITHOUT = {"worse": "matters", "better": "hurts", "same": "does nothing", "undecided": "no effect seen"}
ALONE = {"better": "helps alone", "worse": "harms alone", "same": "does nothing alone", "undecided": "no effect seen"}


def of_runs(target: Target, question: CompareQuestion, bench: Runner, only: Sequence[str] | None) -> LabReport:
    (survey,) = bench.run([Run(name=target.shown, target=target, orders=("survey",))])
    must_have_run([survey])
    assert survey is not None
    choose([survey], question.metric, question.better)  # a metric that is not there is said before the long part
    parts = _chosen(survey.parts, only)
    base = Run(name=AS_IT_IS, target=target, orders=EAGER)
    without = [replace(base, name=part, orders=(*EAGER, f"off={part}")) for part in parts]
    evidence, left = gathered([base, *without], question, bench)
    alone: Variants | None = None
    if len(parts) > 1 and not bench.interrupted:
        bare = replace(base, name=BARE, orders=_off(parts))
        added = [replace(base, name=part, orders=_off([one for one in parts if one != part])) for part in parts]
        alone, more = gathered([bare, *added], question, bench)
        left += more
    return _report(target, evidence, alone, left, len(bench.made))


def _off(parts: Sequence[str]) -> tuple[str, ...]:
    return (*EAGER, *(f"off={part}" for part in parts))


def _chosen(parts: tuple[str, ...], only: Sequence[str] | None) -> tuple[str, ...]:
    if not parts:
        raise UsageError(
            "nothing was seen that can be switched off: no weight decay, dropout, schedule, clipping, normalization, "
            "augmentation, second term of the loss, or layer whose output has the shape of its input."
        )
    for name in only or ():
        if name not in parts:
            raise UsageError(f"`--only`: the program has no `{name}`{nearest(name, parts)} It has {', '.join(parts)}.")
    return tuple(only) if only else parts


def _report(target: Target, evidence: Variants, alone: Variants | None, left: int, done: int) -> LabReport:
    judged = evidence.judged()
    added = alone.judged() if alone is not None else {}
    return LabReport(
        kind="ablate",
        command=target.words,
        answer=_answer(evidence, judged),
        numbers={
            "metric": evidence.metric.name,
            **{f"without.{name}": one.verdict for name, one in judged.items()},
            **{f"alone.{name}": one.verdict for name, one in added.items()},
        },
        tables=tuple(_tables(evidence, judged, alone, added)),
        plots=(structs.replace(seed_plot(evidence), title="each seed, with one part switched off"),),
        done=done,
        left=left,
        limits=(*evidence.metric.told(), "a part without an effect in these runs may have one in longer runs"),
    )


def _answer(evidence: Variants, judged: dict[str, AgainstReference]) -> str:
    told = []
    for verdict, says in WITHOUT.items():
        names = [name for name, one in judged.items() if one.verdict == verdict]
        names.sort(key=lambda name: -abs(judged[name].paired.mean))
        if names:
            told.append(f"{says}: {', '.join(names)}")
    failed = [name for name in evidence.others if name not in judged]
    told += [f"fails without: {', '.join(failed)}"] if failed else []
    return f"In `{evidence.metric.name}`, {'; '.join(told)}."


def _tables(
    evidence: Variants, judged: dict[str, AgainstReference], alone: Variants | None, added: dict[str, AgainstReference]
) -> list[LabTable]:
    head = ("part", "effect", "verdict", "low", "high", "pairs")
    off = [
        (name, -one.paired.mean, WITHOUT[one.verdict], -one.paired.high, -one.paired.low, one.paired.pairs)
        for name, one in judged.items()
    ]
    title = f"gain in {evidence.metric.name} from each part ({evidence.metric.wanted}): switched off alone"
    tables = [LabTable(title=title, head=head, rows=_sorted(off))]
    if alone is not None and added:
        on = [
            (name, one.paired.mean, ALONE[one.verdict], one.paired.low, one.paired.high, one.paired.pairs)
            for name, one in added.items()
        ]
        tables.append(LabTable(title="added back alone, with all others off", head=head, rows=_sorted(on)))
    return tables


def _sorted(rows: Sequence[tuple[str, float, str, float, float, int]]) -> tuple[tuple[Scalar, ...], ...]:
    return tuple(sorted(rows, key=lambda row: -row[1]))
