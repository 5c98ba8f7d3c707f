"""How well firstlight judges the zoo: runs of it, what was caught, and the table of results."""
