"""The metric of the run, asked for answers whose worth is known: ideal ones, the same out of order, their contrary."""

import torch

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.first_loss import made_up
from firstlight.experiments.declared.hearing import hear
from firstlight.experiments.declared.stumbling import line_of, unusable, using
from firstlight.records.declared import MetricTried


def scoring(bench: Bench) -> None:
    metric = bench.experiment.metric
    assert metric is not None
    model, batch = bench.model().eval(), bench.batch()
    with torch.no_grad():
        output = bench.output(model, batch)
        calls = hear(bench, model, batch).calls
        answers = made_up(calls[0], output) if len(calls) == 1 and isinstance(output, torch.Tensor) else None
        if answers is None:
            return
        with using("metric", "scoring made-up answers to one batch"):
            found = [metric(answer, batch.target) for answer in answers]
    try:
        ideal, permuted, contrary = (float(value) for value in found)
    except (TypeError, ValueError, RuntimeError) as error:
        raise unusable("metric", "scoring made-up answers", f"it gave no single number: {error}") from error
    bench.emit(MetricTried(ideal=ideal, permuted=permuted, contrary=contrary, site=line_of(metric)))
