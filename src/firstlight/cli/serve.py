"""`firstlight serve`: the runs of a project in the browser."""

from pathlib import Path

import click

from firstlight.cli.say import say


@click.command("serve")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on: 8765 unless taken; 0 for any.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on; loopback is this machine only."
)
@click.option("--open", "show", is_flag=True, help="Open it in the browser.")
def command(folder: Path, port: int | None, host: str, show: bool) -> None:
    """Show the runs below FOLDER: a list, each run live, several overlaid, findings, files, reports.

    It only reads. The address it prints contains a token; requests without it are refused.
    """
    from firstlight.integrations.extras import needed

    needed("uvicorn", "serve")
    needed("starlette.applications", "serve")
    from firstlight.dashboard import server

    if host not in server.LOOPBACK:
        say(f"firstlight: anyone who can reach {host} and has the token can read these runs, unencrypted", err=True)

    ready = server.prepare(folder, server.Address(host, port))
    say(f"{ready.url}\nPress Ctrl-C to stop.")
    if show:
        click.launch(ready.url)
    ready.run()
