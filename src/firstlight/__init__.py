"""Finds out what is broken in a training program before the machine time is spent."""

__version__ = "0.1.0"
