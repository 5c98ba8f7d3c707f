"""What everything that is read at a terminal shares: how wide it is, in which colours, how much of it is shown."""

import shutil

WIDEST = 100
"""Columns; longer lines are hard to read."""
COLOURS = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "ill": "1;31",
    "warn": "1;33",
    "clean": "1;32",
    "unjudged": "1;35",
    "dim": "2",
    "bold": "1",
}
MOST_NOTES = 3
"""Of a report's notes; the others are in the full report."""


def screen_width() -> int:
    return min(shutil.get_terminal_size((80, 24)).columns, WIDEST)
