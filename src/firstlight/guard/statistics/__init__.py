"""Statistics of every gradient and weight at every step: one pass over memory, read a step later, never waited for."""
