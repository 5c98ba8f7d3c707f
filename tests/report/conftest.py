"""A run that has something of everything, as a report and as a log; and the same with a hostile text in every place."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firstlight.records import wire
from firstlight.records.finding import Finding, Proof, Severity, Witness
from firstlight.records.mutants import Mutant, Outcome
from firstlight.records.places import Where
from firstlight.records.report import (
    REPORT_SCHEMA,
    CheckOutcome,
    Coverage,
    Excerpt,
    Hypothesis,
    Inference,
    Report,
    Status,
    Subject,
    Timing,
    Verdict,
)

SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
HOSTILE = (
    "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1><svg/onload=window.hacked=1>"
    "\"'`${window.hacked=1}`]]>--><style>*{display:none}</style>{{7*7}}javascript:window.hacked=1\u202e\x00\u2028&lt;"
)
Line = dict[str, Any]


def told(word: str) -> Report:
    """Every text of it contains `word`."""
    return Report(
        schema=REPORT_SCHEMA,
        subject=Subject(kind="script", command=("train.py", word), file="train.py", run=f".firstlight/runs/{word}"),
        verdict=Verdict.ILL,
        findings=tuple(_finding(number, severity, word) for number, severity in enumerate(SEVERITIES)),
        diagnosis=tuple(
            Hypothesis(
                cause=cause,
                category="loss",
                probability=share,
                verified=share > 0.5,
                because=("FL203",),
                role=role,
                credence="likely",
                for_it=(word,),
                against_it=(word,),
                falsifier=word,
                fix=word,
            )
            for cause, share, role in (("loss-double-activation", 0.9, "likely"), (f"other {word}", 0.1, "further"))
        ),
        checks=(
            CheckOutcome(id="FL203", name="loss-double-activation", status=Status.ILL, seconds=0.002),
            CheckOutcome(id="FL301", name=f"clean {word}", status=Status.CLEAN, seconds=1.5),
            CheckOutcome(
                id="FL350", name="clip-out-of-place", status=Status.SKIPPED, seconds=0.0, reason=f"why {word}"
            ),
            CheckOutcome(id="FL305", name="other", status=Status.CRASHED, seconds=0.0, reason=f"crash {word}"),
        ),
        coverage=Coverage(
            steps=160,
            seconds=12.5,
            ended=f"the end {word}",
            held_back=(f"model{word}.pt",),
            experiments=("one-batch", "activation-undone"),
            suppressed=(f"allowed {word}",),
            limits=(f"unsaid {word}",),
        ),
        timing=Timing(started="2026-01-01T00:00:00Z", seconds=12.5, startup_seconds=2.0),
        environment={"torch": f"2.13 {word}", f"key {word}": 3},
        output_tail=(f"Traceback {word}", "ValueError"),
        trail=(word,),
        reasoning=(
            Inference(kind="began", what=word, beliefs={"loss-double-activation": 0.1, f"other {word}": 0.9}),
            Inference(kind="chose", what=word, why=word),
            Inference(kind="found", what=word, beliefs={"loss-double-activation": 0.9, f"other {word}": 0.1}),
        ),
        excerpts=(
            Excerpt(file=f"train{word}.py", first=35, lines=tuple(f"line {n} {word}" for n in range(35, 43))),
            Excerpt(file="model.py", first=14, lines=(f"x = {word}", "y", "z", "w", "return softmax(x)", "", "")),
        ),
        mutants=tuple(_mutant(outcome, word) for outcome in Outcome),
    )


def _mutant(outcome: Outcome, word: str) -> Mutant:
    caught = outcome is Outcome.CAUGHT
    return Mutant(
        fault=f"fault-{outcome.value}",
        flow="answers",
        does=f"does {word}",
        causes=("loss-sign",),
        outcome=outcome,
        told=f"FL203 {word}" if caught else None,
        cause="loss-sign" if caught else None,
        right=caught,
        reason="" if caught else f"because {word}",
    )


def _finding(number: int, severity: Severity, word: str) -> Finding:
    return Finding(
        id=f"FL20{number + 3}",
        name="loss-double-activation" if number == 0 else f"name-{number}",
        cause="loss-double-activation",
        category="loss",
        severity=severity,
        confidence=0.99,
        verified=number == 0,
        where=Where(file=f"train{word}.py", line=38 + number, module=f"head{word}", step=2, rank=1),
        summary=f"probabilities go into a loss {word}",
        saw=f"`cross_entropy` is given `softmax` at model.py:18 {word}",
        wanted=f"raw scores {word}",
        likely=f"proven: the same steps reach 0.02 instead of 1.4 {word}",
        do=f"return the raw scores {word}",
        evidence={f"evidence {word}": word, "bad": math.inf},
        proof=Proof(change="give the loss logits again", reached=0.02, as_it_is=1.4, steps=40, guess=1.6),
        witnesses=(
            Witness(id="FL203", kind="run", where="train.py:36", says=f"this {word}", weight=0.97),
            Witness(id="FL712", kind="source", where=f"{word}:36", says=f"that {word}", weight=0.9),
        ),
        count=2,
    )


def logged(word: str, steps: int = 60) -> Iterator[Line]:
    """A log with every kind of line that is drawn; the losses end in NaN."""
    for step in range(steps):
        loss = "NaN" if step > steps - 5 else 2.0 / (1 + step)
        yield _line(
            "step", step=step, loss=loss, lr=1e-3, grad_norm=0.5 + step % 7, param_norm=4.0, components={word: 1.0}
        )
        for timeline in (None, "activation-undone", f"copy {word}"):
            seen = {"fact": "backward", "value": 2.0 / (1 + step * (1 if timeline is None else 3)), "site": word}
            yield _line("fact", timeline=timeline, observed=seen)
        if step % 10 == 0:
            yield from _layers(step, word)
    layers = [{"name": f"head{word}", "kind": word, "inputs": [[8, 4]], "outputs": [[8, 10], []], "parameters": 40}]
    yield _line("fact", observed={"fact": "shapes", "layers": layers})
    yield _line("epoch_complete", epoch=0, train_loss=0.4, val_loss=0.5, metrics={word: 0.9})
    yield _line("epoch_complete", epoch=1, train_loss=0.3, val_loss=0.6, metrics={word: 0.8})
    yield _line("device", memory_allocated=1e9, memory_reserved=2e9, rss=3e9)
    yield _line("red_flag", step=30, message=word)


def _layers(step: int, word: str) -> Iterator[Line]:
    params = [{"name": f"{word}{n}", "norm": 0.1 * n, "weight_norm": 2.0, "update_ratio": 1e-3} for n in range(5)]
    yield _line("gradient_stats", step=step, params=params)
    modules = [{"name": f"{word}{n}", "std": 1.0 + n, "dead": 0.2 * n} for n in range(5)]
    yield _line("activation_stats", step=step, modules=modules)
    yield _line("histogram", step=step, name=word, kind="gradients", bins=[1e-3, 1e-2, 1e-1, 1], counts=[1, 2, 3])
    rows = [[f"{word}{n}", "cat", "cat" if step > 10 * n else word, 0.3 * n] for n in range(3)]
    yield _line("prediction_table", step=step, rows=rows)


def _line(phase: str, timeline: str | None = None, **fields: Any) -> Line:
    return {"phase": phase, "event": phase, "timeline": timeline, "rank": 0, "run_id": "x", "seq": 0, **fields}


@pytest.fixture
def report() -> Report:
    return told("fine")


@pytest.fixture
def hostile_report() -> Report:
    return told(HOSTILE)


@pytest.fixture(params=["fine", HOSTILE], ids=["fine", "hostile"])
def word(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def events() -> Callable[..., Iterator[Line]]:
    return logged


@pytest.fixture
def tell() -> Callable[[str], Report]:
    return told


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a run, below the working directory."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / ".firstlight" / "runs" / "20260101-120000-abc123"
    path.mkdir(parents=True)
    path.joinpath("report.json").write_bytes(wire.encode(told("fine")))
    path.joinpath("events.ndjson").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in logged("fine")))
    return path
