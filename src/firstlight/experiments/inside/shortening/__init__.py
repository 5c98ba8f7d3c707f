"""Runs a whole program in seconds: every loop that trains ends after a few rounds, and whatever follows it is reached.

`prelude` is called before the script's first line and has every file of the user compiled with its loops counted
(`rewriting`). A loop turns out to train when an optimizer steps while it is on the stack; from then on it makes a few
rounds and, where that is cheap, its last one (`rounds`). Nothing else of the program is changed: `len()`, totals and
schedules stay as they are, so that these can be played out to the end of the whole run (`schedules`). Lightning and the
Hugging Face Trainer have loops of their own, and are told by their own means (`libraries`).
"""
