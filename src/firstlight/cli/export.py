"""`firstlight export`: a run of ours in the tracker its owner looks at."""

from pathlib import Path

import click

from firstlight.cli.say import say


@click.command("export")
@click.argument("run", required=False)
@click.option(
    "--to",
    "destination",
    required=True,
    help="mlflow[:EXPERIMENT], wandb[:PROJECT] (offline unless WANDB_MODE is set) or tensorboard:DIR.",
)
def command(run: str | None, destination: str) -> None:
    """Write the curves, findings, verdict and report of a run to a tracker. Without RUN, it exports the newest.

    \b
    firstlight export --to tensorboard:runs
    firstlight export 20260101-120000-abc123 --to mlflow
    """
    from firstlight.integrations import origins
    from firstlight.remains import recorded
    from firstlight.settings import load
    from firstlight.store.run_directory import RunDirectory

    found = recorded(RunDirectory.find(Path.cwd(), run), load(Path.cwd()))
    seen = origins.write(found, destination)
    points = sum(len(curve.values) for curve in found.logged.curves)
    say(
        f"{found.run.id}: {len(found.logged.curves)} curves ({points} points), {len(found.report.findings)} findings "
        f"and {len(found.files)} files written to {destination}. To see it: {seen}"
    )
