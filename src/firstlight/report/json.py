"""The report as JSON: the contract."""

import msgspec

from firstlight.records import wire
from firstlight.records.printable import escaped_in_json
from firstlight.records.report import Report


def render(report: Report) -> str:
    return escaped_in_json(msgspec.json.format(wire.encode(report), indent=1).decode()) + "\n"
