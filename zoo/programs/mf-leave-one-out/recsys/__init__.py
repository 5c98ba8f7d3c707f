"""Matrix factorisation for implicit feedback."""

__version__ = "0.1.0"
