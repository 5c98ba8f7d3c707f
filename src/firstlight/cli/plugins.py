"""`firstlight plugins`: what other packages add, and what of it cannot be used."""

import json

import click

from firstlight.plugins import Addition, plugins


@click.command("plugins")
@click.option("--format", "form", type=click.Choice(["terminal", "json"]), default="terminal")
def command(form: str) -> None:
    """List the plug-ins of this environment: where they come from, what they add, what failed to load and why.

    A plug-in is an entry point in the group `firstlight.checks` or `firstlight.formats`; docs/plugins.md says how to
    write one.
    """
    found = plugins()
    if form == "json":
        click.echo(json.dumps([_plain(one) for one in found], indent=2))
    elif not found:
        click.echo("no plug-ins are installed in this environment")
    else:
        click.echo("\n".join(_line(one) for one in found))


def _plain(plugin: Addition) -> dict[str, str | None]:
    return {
        "name": plugin.name,
        "group": plugin.group,
        "distribution": plugin.distribution,
        "version": plugin.version,
        "adds": plugin.adds or None,
        "problem": plugin.problem,
    }


def _line(plugin: Addition) -> str:
    what = f"adds {plugin.adds or 'nothing'}" if plugin.problem is None else f"left out: {plugin.problem}"
    return f"{click.style(plugin.name, bold=True)} ({plugin.distribution} {plugin.version}, {plugin.group}): {what}"
