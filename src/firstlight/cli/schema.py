"""`firstlight schema`: the contracts other programs rely on, as JSON Schema."""

import json
from typing import Any

import click

from firstlight.cli.say import say
from firstlight.records.declared import LOGGED
from firstlight.records.events import EVENT, EVENT_SCHEMA
from firstlight.records.lab import LAB_SCHEMA, LabReport
from firstlight.records.report import REPORT_SCHEMA, Report
from firstlight.records.wire import schema_of

RECORDS: dict[str, tuple[Any, str]] = {
    "report": (Report, REPORT_SCHEMA),
    "event": (EVENT, EVENT_SCHEMA),
    "lab": (LabReport, LAB_SCHEMA),
    "observed": (LOGGED, "firstlight.observed/1"),
}


def schema_text(record: str) -> str:
    kind, identifier = RECORDS[record]
    return json.dumps(schema_of(kind, identifier), indent=2) + "\n"


@click.command("schema")
@click.argument("record", type=click.Choice(list(RECORDS)))
def command(record: str) -> None:
    """Print the JSON Schema of RECORD.

    `report` is report.json, `event` one line of events.ndjson, `lab` the lab.json of a lab command, `observed` the
    content of a line with phase `fact`.
    """
    say(schema_text(record), end="")
