"""Windows over a live run: each is told of every step and says at any time what it has seen."""
