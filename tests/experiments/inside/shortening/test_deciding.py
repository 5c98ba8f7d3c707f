"""Whether rounds that a rehearsal leaves out could have decided otherwise on a line."""

from pathlib import Path

import pytest

from firstlight.experiments.inside.shortening.deciding import decided, switches

PROGRAM = """
def freeze(module, flag):
    for p in module.parameters():
        p.requires_grad_(flag)

def train(model, cfg):
    step = 0
    for epoch in range(30):
        before = 0
        {line}
        for batch in model.batches():
            step += 1

train(None, None)
"""
SWITCH, LINE, CALL = 4, 10, 14
SAME = [
    ("freeze(model.trunk, epoch >= cfg.warmup)", "epoch >= cfg.warmup"),
    ("freeze(model.trunk, not epoch + 1 < cfg.warmup)", "epoch + 1 < cfg.warmup"),
    ("freeze(model.trunk, cfg.tunes)", ""),
]
OPEN = [
    "freeze(model.trunk, step >= cfg.warmup)",
    "freeze(model.trunk, epoch == cfg.warmup)",
    "freeze(model.trunk, 3 < epoch < 9)",
    "freeze(model.trunk, epoch > 3 and epoch < 9)",
    "freeze(model.trunk, epoch % 5 == 4)",
    "freeze(model.trunk, cfg.stages[epoch])",
    "freeze(model.trunk, epoch >= before)",
]


def way(folder: Path, line: str) -> tuple[tuple[str, int], ...]:
    file = folder / "train.py"
    file.write_text(PROGRAM.format(line=line), encoding="utf-8")
    return tuple((str(file), number) for number in (SWITCH, LINE, CALL))


def reached(_file: str, first: int) -> bool | None:
    """The loop over epochs came to its last round, and that over parameters is left alone."""
    return True if first > SWITCH else None


@pytest.mark.parametrize(("line", "test"), SAME)
def test_what_the_first_and_the_last_round_agree_on_is_decided(line: str, test: str, tmp_path: Path) -> None:
    running = way(tmp_path, line)

    found = decided(running, reached)

    assert found is not None
    assert found.test == test
    assert found.place == running[1 if test else 0]


@pytest.mark.parametrize("line", OPEN)
def test_what_is_counted_by_hand_or_holds_in_some_rounds_is_open(line: str, tmp_path: Path) -> None:
    assert decided(way(tmp_path, line), reached) is None


def test_so_is_what_a_loop_counts_that_did_not_come_to_its_last_round(tmp_path: Path) -> None:
    assert decided(way(tmp_path, SAME[0][0]), lambda *_: False) is None


def test_lines_that_freeze_or_thaw_are_found(tmp_path: Path) -> None:
    ((file, _), *_) = way(tmp_path, "model.head.weight.requires_grad = True")

    assert [first for _, first, _ in switches([file])] == [SWITCH, LINE]
