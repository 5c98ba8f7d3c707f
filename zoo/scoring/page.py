"""A score as a page of Markdown: aggregates only, never which program or mutation was missed."""

from collections.abc import Iterable, Sequence

from zoo.scoring.circumstances import Circumstances
from zoo.scoring.history import Row
from zoo.scoring.numbers import Calibration, Share
from zoo.scoring.score import Group, Score, Times

PREFACE = """\
Written by `python -m zoo score --half {half} --output zoo/RESULTS.md`. Programs and forms of faults are divided by a
hash of their names; what is tuned on is never what is reported. A mutant is **caught** if the verdict is `ill` or
`warn` and that of its healthy twin is not; the **cause** is right if the one named first is the planted one; the
**line** is right if an error or a warning stands within three lines of the fault. Shares are of all mutants. In
brackets: 95 % of bootstrap samples over programs.
"""


def page(score: Score, made: Circumstances, history: Sequence[Row]) -> str:
    sections = [
        f"# Score of `firstlight {made.verb}` on the {made.half} half",
        PREFACE.format(half=made.half),
        _circumstances(made),
        _whole(score),
        f"## What became of the mutants\n\n{_table(('end', 'mutants'), [(end, str(n)) for end, n in score.ends])}",
        f"## Stated probabilities\n\n{_calibration(score.calibration)}",
        *(f"## By {title}\n\n{_groups(title, groups)}" for title, groups in score.groups.items()),
        f"## Earlier scores\n\n{_history(history)}",
    ]
    return "\n\n".join(section.strip() for section in sections) + "\n"


def _circumstances(made: Circumstances) -> str:
    sample = "all verified mutants" if made.sample is None else f"a sample of {made.sample} mutants"
    return f"{made.date} · firstlight {made.firstlight} · zoo {made.zoo} · {made.machine} · {sample}"


def _whole(score: Score) -> str:
    whole = score.whole
    return _table(
        ("", "share", "n"),
        [
            ("mutants caught", _interval(whole.caught), f"{_count(whole.caught)}, of {score.programs} programs"),
            ("right cause first", _interval(whole.right), _count(whole.right)),
            ("right cause first, of those caught", _interval(score.right_of_caught), _count(score.right_of_caught)),
            ("right line", _interval(whole.line_right), _count(whole.line_right)),
            ("healthy programs called ill", _interval(score.false_alarms), _count(score.false_alarms)),
            ("healthy programs warned about", _interval(score.nags), _count(score.nags)),
            ("no verdict", _interval(score.unjudged), _count(score.unjudged)),
            ("median seconds on healthy programs", _times(score.healthy_times), ""),
            ("median seconds on mutants", _times(score.mutant_times), ""),
        ],
    )


def _calibration(found: Calibration) -> str:
    certain = f"{found.certain_right} of {found.certain} claims were" if found.certain else "nothing was there to be"
    words = (
        f"Of what was said with at least 90 %, {certain} right. The expected calibration error is "
        f"{found.error:.3f}; so few claims, each as often right as it says, would show {found.by_chance:.3f} on "
        f"average. A cause that is said about a healthy program counts as wrong."
    )
    rows = [(f"{b.low:.2f} to {b.high:.2f}", f"{b.claims}", f"{b.stated:.0%}", f"{b.right:.0%}") for b in found.bins]
    return f"{words}\n\n{_table(('stated', 'claims', 'mean stated', 'right'), rows)}"


def _groups(title: str, groups: Sequence[Group]) -> str:
    rows = [
        (one.name, str(one.caught.total), _interval(one.caught), _interval(one.right), f"{one.line_right.value:.0%}")
        for one in groups
    ]
    return _table((title, "mutants", "caught", "right cause first", "right line"), rows)


def _history(rows: Sequence[Row]) -> str:
    heads = ("date", "firstlight", "half", "verb", "mutants", "caught", "right cause", "ill / warned of healthy",
             "calibration error", "seconds")  # fmt: skip
    return _table(
        heads,
        [
            (
                row["date"], row["commit"], row["half"], row["verb"], str(row["mutants"]), f"{row['caught']:.1%}",
                f"{row['right']:.1%}", f"{row['false_alarms']} / {row['nags']} of {row['healthy']}",
                f"{row['calibration_error']:.3f}", f"{row['seconds']:.1f}",
            )
            for row in reversed(rows)
        ],
    )  # fmt: skip


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _interval(share: Share) -> str:
    return f"{share.value:.1%} ({share.low:.0%} to {share.high:.0%})" if share.total else "none"


def _count(share: Share) -> str:
    return f"{share.hits} of {share.total}"


def _times(times: Times) -> str:
    return f"{times.seconds:.1f} s, {times.ratio:.1f} times the plain run"
