"""`firstlight serve`: the runs of a project in the browser."""

from pathlib import Path

import click

from firstlight.cli.say import say


@click.command("serve")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@click.option("--port", type=click.IntRange(0, 65535), help="8765 unless taken; 0 for any.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Whom to listen to; loopback is this machine only."
)
@click.option("--open", "show", is_flag=True, help="Open it in the browser.")
def command(folder: Path, port: int | None, host: str, show: bool) -> None:
    """Show the runs below FOLDER: a list, each run as it goes, several over each other, findings, files, reports.

    Reads and never writes. The address it prints carries a token; without it nothing is answered.
    """
    from firstlight.integrations.extras import needed

    needed("uvicorn", "serve")
    needed("starlette.applications", "serve")
    from firstlight.dashboard import server

    if host not in server.LOOPBACK:
        say(f"firstlight: whoever can reach {host} and knows the token can read these runs, unencrypted", err=True)

    ready = server.prepare(folder, server.Address(host, port))
    say(f"{ready.url}\nCtrl-C ends it.")
    if show:
        click.launch(ready.url)
    ready.run()
