"""Experiments that their author declared piece by piece (`firstlight.Experiment`), and the probes that question them.

To add a probe:

1. its fact, a frozen `DeclaredFact` with a tag, in a module of `records/declared/`;
2. its source in `facts/sources.py`: what to say when there is none;
3. a function of a `Bench` in a module here, which makes fresh models and batches, emits facts with `bench.emit`, and
   runs whatever belongs to the user inside `using(piece, doing)`, so that what it raises is told as theirs;
4. its card in `probes/`;
5. checks on the fact, as always.

It runs in a forked copy of the user's process and may do there what it likes.

Checks on facts of unmodified scripts (`LossSite`, `Census`, `StepOrder`, `Contrast`, …) need nothing: the probe
`training` trains the experiment under the same observers, so they judge it as they judge a script.
"""
