"""The one place where a command says something that is not a report: whatever is in it, a terminal obeys none of it."""

import click

from firstlight.records.printable import inert, printable


def say(text: str, *, err: bool = False, end: str = "\n") -> None:
    click.echo(inert(printable(text)) + end, err=err, nl=False)
