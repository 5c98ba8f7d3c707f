"""The lines of `events.ndjson`.

Each line says what it is in `phase`, repeated in `event`; readers take either. `seq` rises by one for each writer (a
rank, or the command itself, whose rank is null). Here stand those that firstlight writes, and those that it
reads in other people's logs; unknown events and fields are kept by every tool.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from firstlight.records.finding import Scalar
from firstlight.records.wire import any_of

EVENT_SCHEMA = "firstlight/1"
Plain = dict[str, Any]


class _Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="phase"):
    event: str
    ts: str
    run_id: str
    seq: int
    schema: str = EVENT_SCHEMA
    rank: int | None = None
    timeline: str | None = None
    """The experiment that wrote the line; the program itself has none."""
    elapsed_s: float | None = None


MOST_OF_ARGUMENTS = 16_000
"""Characters that a log keeps of a command line: a line of it has its limits."""


def shortened(words: Iterable[str]) -> list[str]:
    """A command line as it goes into a log; what is left out is counted."""
    kept: list[str] = []
    room = MOST_OF_ARGUMENTS
    words = tuple(words)
    for word in words:
        if len(word) > room:
            left = sum(map(len, words)) - sum(map(len, kept))
            return [*kept, f"… and {len(words) - len(kept)} more, of {left} characters"]
        kept.append(word)
        room -= len(word) + 8
    return kept


class RunStart(_Event, frozen=True, kw_only=True, tag="run_start"):
    argv: list[str]
    cwd_hash: str
    git: str | None
    env: dict[str, Scalar]
    seed: int | None


class ExperimentStart(_Event, frozen=True, kw_only=True, tag="experiment_start"):
    architecture: str
    features: list[str]
    config: Plain


class ExperimentComplete(_Event, frozen=True, kw_only=True, tag="experiment_complete"):
    total_folds: int
    mean_sharpe: float | None
    elapsed_seconds: float
    metrics: dict[str, float] = {}


class PocStart(_Event, frozen=True, kw_only=True, tag="poc_start"):
    timestamp: str


class PocComplete(_Event, frozen=True, kw_only=True, tag="poc_complete"):
    passed: int
    failed: int
    skipped: int
    elapsed_seconds: float


class EpochComplete(_Event, frozen=True, kw_only=True, tag="epoch_complete"):
    epoch: int
    train_loss: float
    val_loss: float | None
    accuracy: float | None = None
    train_val_gap: float | None = None
    lr: float | None = None
    metrics: dict[str, float] = {}


class Step(_Event, frozen=True, kw_only=True, tag="step"):
    step: int
    loss: float | None
    lr: float | None = None
    grad_norm: float | None = None
    clip_coef: float | None = None
    param_norm: float | None = None
    amp_scale: float | None = None
    skipped: bool = False
    data_wait_s: float | None = None
    step_s: float | None = None
    samples_per_s: float | None = None
    """Examples of the batches of this step, over its time."""
    batch_hash: str | None = None
    components: dict[str, float] = {}
    observed: Plain | None = None
    """The whole `StepSeen`, when an observer wrote this line."""


class EvalComplete(_Event, frozen=True, kw_only=True, tag="eval_complete"):
    split: str
    metrics: dict[str, float]
    n: int


class FoldStart(_Event, frozen=True, kw_only=True, tag="fold_start"):
    fold_id: int | str
    train_size: int
    val_size: int
    test_size: int


class FoldComplete(_Event, frozen=True, kw_only=True, tag="fold_complete"):
    fold_id: int | str
    test_sharpe: float | None
    test_sortino: float | None
    metrics: dict[str, float] = {}


class Fact(_Event, frozen=True, kw_only=True, tag="fact"):
    observed: Plain


READY = "ready"
"""The status of a check of the guard that has seen enough: from here on its silence is an answer."""


class CheckResult(_Event, frozen=True, kw_only=True, tag="check_result"):
    check_id: str
    status: str
    severity: str
    duration_s: float
    message: str
    measured: str | None = None
    threshold: str | None = None
    where: Plain | None = None
    causes: list[str] = []
    fix: str | None = None


class FindingSeen(_Event, frozen=True, kw_only=True, tag="finding"):
    rule_id: str
    severity: str
    message: str
    step: int | None = None
    where: Plain | None = None
    evidence: Plain = {}
    causes: list[str] = []
    fix: str | None = None
    count: int = 1
    finding: Plain | None = None
    """The whole finding, where the guard tells of it while the run goes on."""


class RedFlag(_Event, frozen=True, kw_only=True, tag="red_flag"):
    type: str
    severity: str
    message: str
    recommendation: str
    rule_id: str = ""
    since: str | None = None
    """The rule of the flag that went up before and from which the run has not recovered: one incident."""


class GradientStats(_Event, frozen=True, kw_only=True, tag="gradient_stats"):
    step: int
    params: list[Plain]


class ActivationStats(_Event, frozen=True, kw_only=True, tag="activation_stats"):
    step: int
    modules: list[Plain]


class Histogram(_Event, frozen=True, kw_only=True, tag="histogram"):
    step: int
    name: str
    kind: str
    bins: list[float]
    counts: list[int]


class PredictionTable(_Event, frozen=True, kw_only=True, tag="prediction_table"):
    step: int
    rows: list[list[Scalar]]
    confidence_mean: float | None = None
    confidence_min: float | None = None
    confidence_max: float | None = None


class LrFinder(_Event, frozen=True, kw_only=True, tag="lr_finder"):
    lr: float
    loss: float
    step: int


class LrFinderComplete(_Event, frozen=True, kw_only=True, tag="lr_finder_complete"):
    suggestions: dict[str, float | None]
    diverged_at: float | None


class Resume(_Event, frozen=True, kw_only=True, tag="resume"):
    from_step: int
    checkpoint: str


class Artifact(_Event, frozen=True, kw_only=True, tag="artifact"):
    kind: str
    path: str
    sha256: str
    reason: str


class Hypotheses(_Event, frozen=True, kw_only=True, tag="hypotheses"):
    posterior: list[Plain]


class Invariant(_Event, frozen=True, kw_only=True, tag="invariant"):
    name: str
    ok: bool
    stats: Plain


class Device(_Event, frozen=True, kw_only=True, tag="device"):
    memory_allocated: int
    memory_reserved: int
    rss: int
    temperature: float | None = None
    util: float | None = None
    nccl_error: str | None = None


class Heartbeat(_Event, frozen=True, kw_only=True, tag="heartbeat"):
    step: int


class ExceptionSeen(_Event, frozen=True, kw_only=True, tag="exception"):
    type: str
    message: str
    traceback_hash: str
    translated: str | None = None
    artifact: str | None = None


class RunEnd(_Event, frozen=True, kw_only=True, tag="run_end"):
    status: str
    elapsed_seconds: float
    exit_code: int | None
    steps: int | None = None
    """Optimizer steps that were made; not every one of them has a line."""
    clipped: float | None = None
    """Share of the steps with clipping at which it cut; None where the program does not clip by norm."""


EVENT: Any = any_of(_Event)
"""What a line is read as."""
