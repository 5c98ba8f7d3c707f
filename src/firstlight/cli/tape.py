"""`firstlight tape`: the torch calls behind a loss, as a table."""

from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from firstlight.errors import UsageError
from firstlight.records import wire
from firstlight.records.taped import TapeSeen
from firstlight.report.tape import HEAD, cells, title
from firstlight.store.event_log import read
from firstlight.store.run_directory import RunDirectory

TAG = "tape"


@click.command("tape")
@click.argument("word", metavar="[RUN]", default="last")
@click.option("--step", type=click.IntRange(0), help="The step to show; by default the last one taped.")
@click.option(
    "--line", "lines", metavar="TEXT", help="Only rows whose line contains TEXT: `model.py` or `train.py:40`."
)
@click.option("--operation", metavar="TEXT", help="Only rows whose operation contains TEXT.")
@click.option(
    "--rank", type=click.IntRange(0), default=0, show_default=True, help="The process to show, for a run with several."
)
def command(word: str, step: int | None, lines: str | None, operation: str | None, rank: int) -> None:
    """Show the operations between data and loss. RUN is its directory, its id or the start of its id, or `last`.

    \b
    firstlight tape                       # the newest run, the last step that was taped
    firstlight tape last --line model.py  # only what a file does

    `differ` is how many examples of the batch still differ from one another, `size` the root mean square of the values;
    `>` marks where trained tensors enter, `=` what is compared with the targets, `!` where examples become equal.
    """
    run = RunDirectory.find(Path.cwd(), word)
    tapes = [tape for tape in _tapes(run) if tape.rank == rank]
    steps = sorted({tape.step for tape in tapes})
    if not steps:
        raise UsageError(
            f"{run.path} holds no tape of rank {rank}: `firstlight check` writes one when it watches a script."
        )
    wanted = steps[-1] if step is None else step
    if wanted not in steps:
        raise UsageError(f"`--step`: step {wanted} was not taped. Taped steps: {', '.join(map(str, steps))}.")
    for parts in _by_backward([tape for tape in tapes if tape.step == wanted]):
        click.echo("\n".join(_table(parts, lines or "", operation or "")))


def _tapes(run: RunDirectory) -> Iterator[TapeSeen]:
    for event in read(run.events):
        plain = event.get("observed")
        if isinstance(plain, dict) and plain.get("fact") == TAG and event.get("timeline") is None:
            try:
                yield wire.convert(plain, TapeSeen)
            except msgspec.ValidationError:
                raise UsageError(f"{run.events} holds a tape that this version does not understand.") from None


def _by_backward(tapes: list[TapeSeen]) -> list[list[TapeSeen]]:
    """A record with part 0 begins the tape of another backward."""
    found: list[list[TapeSeen]] = []
    for tape in tapes:
        if tape.part == 0 or not found:
            found.append([])
        found[-1].append(tape)
    return found


def _table(parts: list[TapeSeen], line: str, operation: str) -> Iterator[str]:
    rows = [HEAD, *cells(parts, lambda place, name: line in place and operation in name)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    yield title(parts)
    for row in rows:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
