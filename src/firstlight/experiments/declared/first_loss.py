"""The loss before anything is learnt: its value, and whether it likes what it should like."""

import torch

from firstlight.experiments.declared.bench import Batch, Bench, prediction_of
from firstlight.experiments.declared.hearing import LossCall, hear
from firstlight.experiments.declared.reference import contrary, formula, ideal, reference
from firstlight.experiments.declared.stumbling import line_of, using
from firstlight.records.declared import InitialLoss, LossSense, Penalty

MOST_BATCHES = 4
CUSTOM = "custom"
PAIR = 2


def first_loss(bench: Bench) -> None:
    model = bench.model()
    batches = bench.batches(MOST_BATCHES)
    site = line_of(bench.experiment.loss or bench.experiment.step)
    with torch.no_grad():
        heard = [hear(bench, model, batch) for batch in batches]
        in_eval = float(bench.loss(bench.model().eval(), batches[0]))
        main = heard[0].main if all(each.main is not None for each in heard) else None
        known = reference(main) if main is not None else None
    bench.emit(
        InitialLoss(
            loss=main.name if main is not None else CUSTOM,
            batches=tuple(float(each.total) for each in heard),
            in_eval=in_eval,
            expected=known.neutral if known is not None else None,
            prior=known.constant if known is not None else None,
            formula=formula(main) if main is not None else "",
            classes=known.classes if known is not None else None,
            majority_share=known.majority_share if known is not None else None,
            reduction=str(main.options.get("reduction", "mean")) if main is not None else "",
            pretrained=bench.experiment.pretrained,
            among_rows=main is not None and _among_rows(main),
            watched=bench.watched,
            site=site,
        )
    )
    _sense(bench, model, batches[0], main)


def _among_rows(call: LossCall) -> bool:
    """Each example is to be found again among the batch: a class of its own."""
    rows = len(call.target) if call.target.ndim == 1 else 0
    if rows < PAIR or call.prediction.shape != (rows, rows) or call.target.is_floating_point():
        return False
    return len(call.target.unique()) == rows


def _sense(bench: Bench, model: torch.nn.Module, batch: Batch, main: LossCall | None) -> None:
    """Asked of the experiment's own function, with answers made up in the shape of the model's."""
    if bench.experiment.loss is None:
        return
    with torch.no_grad():
        output = bench.output(model, batch)
        prediction = prediction_of(output)
        if not isinstance(output, torch.Tensor) or prediction is None or not isinstance(batch.target, torch.Tensor):
            return
        call = main or _as_distance(prediction, batch.target)
        answers = made_up(call, prediction) if call is not None else None
        if call is None or answers is None:
            return
        with using("loss", "comparing made-up answers with the targets"):
            values = [float(bench.loss_of(answer, batch)) for answer in answers]
            order = torch.roll(torch.arange(len(batch.target)), 1)
            moved = Batch(raw=None, arguments=(), keywords={}, target=batch.target[order])
            permuted = float(bench.loss_of(answers[0], moved))
    bench.emit(
        LossSense(
            loss=call.name,
            ideal=values[0],
            random=values[1],
            contrary=values[2],
            permuted=permuted,
            site=line_of(bench.experiment.loss),
        )
    )


def made_up(call: LossCall, prediction: torch.Tensor) -> tuple[torch.Tensor, ...] | None:
    """Ideal, random and contrary, in the shape the model answers in."""
    best, worst = ideal(call), contrary(call)
    if best is None or worst is None or best.shape != prediction.shape:
        return None
    generator = torch.Generator().manual_seed(0)
    order = torch.randperm(len(best), generator=generator, device="cpu").to(best.device)
    return best, (0.5 * best + 0.5 * worst) if len(best) < 4 else best[order], worst


def _as_distance(prediction: torch.Tensor, target: torch.Tensor) -> LossCall | None:
    """A loss of the user's own is asked as a distance, where prediction and target have the same shape."""
    if prediction.shape != target.shape or not target.is_floating_point():
        return None
    return LossCall(None, "mse_loss", prediction, target, {}, prediction.new_zeros(()))


def penalty(bench: Bench) -> None:
    """A regulariser is positive, and grows with the weights."""
    function = bench.experiment.penalty
    assert function is not None
    model = bench.model()
    weights = [p for p in model.parameters() if p.requires_grad]
    with using("penalty", "computing it for a new model"):
        value = function(model)
    with torch.no_grad():
        for parameter in weights:
            parameter.mul_(1.5)
        with using("penalty", "computing it for larger weights"):
            larger = float(function(model))
    has_loss = bench.has_loss and "data" in bench.experiment.declared
    bench.emit(
        Penalty(
            value=float(value.detach()),
            larger=larger,
            data_loss=float(bench.loss(bench.model(), bench.batch()).detach()) if has_loss else None,
            site=line_of(function),
        )
    )
