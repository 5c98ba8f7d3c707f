"""The report as one page that stands alone: no other file, no network, nothing in it that a run could turn into code."""

from firstlight.report.html.page import render

__all__ = ["render"]
