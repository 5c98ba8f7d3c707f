"""The report as JSON: the contract."""

import msgspec

from firstlight.records import wire
from firstlight.records.report import Report


def render(report: Report) -> str:
    return msgspec.json.format(wire.encode(report), indent=1).decode() + "\n"
