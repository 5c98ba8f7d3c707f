"""Readings of the tape: where a flow breaks. Pure, and free of torch."""
