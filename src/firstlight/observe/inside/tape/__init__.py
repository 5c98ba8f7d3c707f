"""The tape: torch calls of the program as rows of one graph, that can be read and replayed.

`recorder` makes the rows, `tail` finds where predictions meet answers and computes the loss again from there, and
`growth` says from a series of such measurements whether the program learns.
"""
