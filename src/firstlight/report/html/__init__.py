"""The report as a page that stands alone: no other file, no network, nothing in it that a run could turn to code."""

from firstlight.report.html.page import render

__all__ = ["render"]
