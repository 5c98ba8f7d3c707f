"""Recurrent nets and attention on a real batch: gates, what comes through time, attention's spread, and order."""

from collections.abc import Iterator
from typing import Any

import torch

from firstlight.experiments.declared.bench import Batch, Bench, prediction_of
from firstlight.experiments.declared.stumbling import line_of
from firstlight.observe.inside import reading
from firstlight.records.declared import AttentionRows, Gates, PositionTried

LEAST_LENGTH = 4
NEXT = 0.95
"""Share of targets equal to the next input for the task to count as predicting it."""
MOST_SCORES = 1 << 22


def sequences(bench: Bench) -> None:
    model, batch = bench.model(), bench.batch()
    recurrent: list[tuple[str, Any, Any]] = []
    attended: list[AttentionRows] = []
    hooks = []
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.LSTM | torch.nn.GRU | torch.nn.RNN):
            hooks.append(
                module.register_forward_hook(lambda m, given, _made, n=name: recurrent.append((n, m, given[0])))
            )
    with _Attention(attended), torch.no_grad():
        bench.passed(model, batch)
    for hook in hooks:
        hook.remove()
    for name, module, given in recurrent:
        for gates in _gates(name or type(module).__name__, module, given):
            bench.emit(gates)
    for rows in attended[:8]:
        bench.emit(rows)
    _order(bench, model, batch)


def _gates(name: str, module: Any, given: Any) -> Iterator[Gates]:
    if not isinstance(given, torch.Tensor) or given.ndim != 3:
        return
    through, steps = _through_time(module, given)
    for layer in range(module.num_layers):
        for suffix in ("", "_reverse") if module.bidirectional else ("",):
            weight = getattr(module, f"weight_hh_l{layer}{suffix}").detach()
            size = module.hidden_size
            blocks = weight.reshape(-1, size, weight.shape[1])
            bias, opened = _forget(module, layer, suffix, given)
            yield Gates(
                name=f"{name} layer {layer}{suffix.replace('_', ' ')}",
                kind=type(module).__name__,
                forget_bias=bias,
                forget_open=opened,
                hidden_norm=max(float(torch.linalg.matrix_norm(block, 2)) for block in blocks.float()),
                through_time=through if layer == 0 and not suffix else None,
                steps=steps,
                site=line_of(type(module)),
            )


def _forget(module: Any, layer: int, suffix: str, given: torch.Tensor) -> tuple[float | None, float | None]:
    """Both biases of torch's LSTM act together; the gate is looked at with an empty hidden state."""
    if not isinstance(module, torch.nn.LSTM) or not module.bias:
        return None, None
    size = module.hidden_size
    part = slice(size, 2 * size)
    both = [getattr(module, f"bias_{which}_l{layer}{suffix}").detach()[part] for which in ("ih", "hh")]
    bias = both[0] + both[1]
    if layer:
        return float(bias.mean()), float(torch.sigmoid(bias).mean())
    weight = getattr(module, f"weight_ih_l{layer}{suffix}").detach()[part]
    return float(bias.mean()), float(torch.sigmoid(given.detach() @ weight.T + bias).mean())


def _through_time(module: Any, given: torch.Tensor) -> tuple[float | None, int]:
    """How much of the last output's gradient is left at the first input, against the last."""
    leaf = given.detach().clone().requires_grad_(True)
    axis = 1 if module.batch_first else 0
    steps = leaf.shape[axis]
    if steps < LEAST_LENGTH:
        return None, steps
    with torch.enable_grad(), torch.backends.cudnn.flags(enabled=False):
        made = module(leaf)[0].select(axis, steps - 1)
        (gradient,) = torch.autograd.grad(made.abs().sum(), leaf)
    first, last = (float(gradient.select(axis, place).norm()) for place in (0, steps - 1))
    return (first / last if last else None), steps


class _Attention(torch.overrides.TorchFunctionMode):
    """Recomputes the weights of `scaled_dot_product_attention` from what it is given."""

    def __init__(self, found: list[AttentionRows]) -> None:
        super().__init__()
        self._found = found

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if getattr(func, "__name__", "") == "scaled_dot_product_attention" and len(args) >= 2:
            rows = _rows(args[0], args[1], kwargs or {}, len(self._found))
            self._found += [rows] if rows is not None else []
        return func(*args, **(kwargs or {}))


def _rows(query: torch.Tensor, key: torch.Tensor, options: dict[str, Any], index: int) -> AttentionRows | None:
    if query.shape[-3] != key.shape[-3] or query[..., 0].numel() * key.shape[-2] > MOST_SCORES or key.shape[-2] < 2:
        return None
    scale = options.get("scale") or query.shape[-1] ** -0.5
    scores = (query.detach().float() @ key.detach().float().transpose(-2, -1)) * scale
    mask = options.get("attn_mask")
    if options.get("is_causal"):
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
    weights = scores.softmax(-1)
    open_keys = torch.isfinite(scores).sum(-1)
    entropy = -(weights * weights.clamp(min=1e-30).log()).sum(-1)
    free = open_keys > 1
    if not bool(free.any()):
        return None
    share = (entropy / open_keys.clamp(min=2).float().log())[free].mean()
    return AttentionRows(
        name=f"attention call {index}",
        keys=key.shape[-2],
        entropy=float(share),
        largest_score=float(scores[torch.isfinite(scores)].abs().max()),
    )


def _order(bench: Bench, model: torch.nn.Module, batch: Batch) -> None:
    """For next-token tasks: earlier inputs change places, and the last answer should notice."""
    ids = next((t for t in batch.inputs if not t.is_floating_point() and t.ndim == 2), None)
    target = batch.target
    if ids is None or ids.shape[1] < LEAST_LENGTH or not isinstance(target, torch.Tensor) or batch.keywords:
        return
    if target.shape != ids.shape or float((target[:, :-1] == ids[:, 1:]).float().mean()) < NEXT:
        return
    length = ids.shape[1]
    order = torch.cat([torch.arange(length - 1).flip(0), torch.tensor([length - 1])]).to(ids.device)
    model.eval()
    with torch.no_grad():
        answers = []
        for given in (ids, ids[:, order]):
            arguments = tuple(given if item is ids else item for item in batch.arguments)
            made = bench.output(model, Batch(raw=batch.raw, arguments=arguments, keywords={}, target=target))
            prediction = prediction_of(made)
            if prediction is None or prediction.shape[:2] != ids.shape:
                return
            answers.append(prediction[:, -1].detach().float())
    spread = float(answers[0].std())
    if not spread or reading.fingerprint([ids]) == reading.fingerprint([ids[:, order]]):
        return
    change = float((answers[0] - answers[1]).abs().max()) / spread
    bench.emit(PositionTried(length=length, change=change, predicts_next=True, site=line_of(type(model))))
