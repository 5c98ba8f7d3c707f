"""`firstlight watch`: a run, seen from another terminal."""

import contextlib
from pathlib import Path

import click


@click.command("watch")
@click.argument("word", metavar="[RUN]", default="last")
@click.option("--once", is_flag=True, help="Print the current state and exit; the default without a terminal.")
def command(word: str, once: bool) -> None:
    """Follow a run on the terminal: loss, learning rate, gradient norm, red flags, pace. Stops with the run or Ctrl-C.

    RUN is its directory, its id or the start of its id, or `last`.
    """
    from rich.console import Console

    from firstlight.dashboard.screen import Screen
    from firstlight.store.run_directory import RunDirectory

    console = Console(highlight=False)
    screen = Screen.of(RunDirectory.find(Path.cwd(), word))
    if once or not console.is_terminal:
        screen.once(console)
        return
    with contextlib.suppress(KeyboardInterrupt):
        screen.live(console)
