"""How raw data became tensors: is a cache still what the code makes today, and does the tokenizer fit the model?"""

import itertools
from typing import Any

import torch

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.stumbling import line_of, unusable, using
from firstlight.observe.inside import reading
from firstlight.records.declared import CacheTried, Vocabulary

EXAMPLES = 16
BATCHES = 4


def cache(bench: Bench) -> None:
    """Some examples of the training set against the same ones made anew, each twice from the same seed."""
    fresh = bench.experiment.fresh
    data: Any = getattr(bench.experiment.train, "dataset", bench.experiment.train)
    assert fresh is not None
    if not (hasattr(data, "__len__") and hasattr(data, "__getitem__")):
        raise unusable("fresh", "comparing it with the training set", "`train` has no examples that can be indexed")
    chosen = torch.linspace(0, len(data) - 1, min(EXAMPLES, len(data))).long().tolist()
    differing: list[tuple[int, str]] = []
    for index in chosen:
        bench.seed()
        with using("train", "reading one example by its index"):
            kept = data[index]
        bench.seed()
        with using("fresh", "making one example anew"):
            made = fresh(index)
        told = _apart(kept, made)
        differing += [(index, told)] if told else []
    bench.emit(
        CacheTried(
            examples=len(chosen),
            differing=len(differing),
            first=differing[0][0] if differing else None,
            told=differing[0][1] if differing else "",
            site=line_of(fresh),
        )
    )


def _apart(kept: Any, made: Any) -> str:
    """In words; empty where both are the same."""
    one, other = _tensors(kept), _tensors(made)
    if len(one) != len(other):
        return f"{len(one)} tensors for {len(other)} made anew"
    for place, (held, new) in enumerate(zip(one, other, strict=True)):
        if held.shape != new.shape:
            return f"tensor {place} has shape {tuple(held.shape)} for {tuple(new.shape)} made anew"
        if not torch.equal(torch.nan_to_num(held), torch.nan_to_num(new)):
            most = float((held - new).abs().max())
            return f"tensor {place} is off by up to {most:.3g}"
    return ""


def _tensors(example: Any) -> list[torch.Tensor]:
    """Numbers and arrays among them, all in double precision."""
    found: list[torch.Tensor] = []
    parts = (
        example.values() if isinstance(example, dict) else example if isinstance(example, list | tuple) else [example]
    )
    for part in parts:
        if isinstance(part, dict | list | tuple):
            found += _tensors(part)
        elif isinstance(part, torch.Tensor | int | float) or hasattr(part, "__array__"):
            found.append(torch.as_tensor(part).detach().double().cpu())
    return found


def vocabulary(bench: Bench) -> None:
    given = bench.experiment.tokenizer
    size = given if isinstance(given, int) else len(given)
    model = bench.model()
    seen: list[torch.Tensor] = []
    tables = {id(module): name for name, module in model.named_modules() if isinstance(module, torch.nn.Embedding)}
    used: list[torch.nn.Embedding] = []

    def keep(module: torch.nn.Module, arguments: tuple[Any, ...], _made: object) -> None:
        if isinstance(module, torch.nn.Embedding) and _are_tokens(bench, arguments):
            used.append(module)
            seen.append(arguments[0].detach().cpu())

    hooks = [module.register_forward_hook(keep) for module in model.modules() if id(module) in tables]
    with torch.no_grad():
        for batch in itertools.islice(bench.batches(BATCHES), BATCHES):
            bench.passed(model.eval(), batch)
    for hook in hooks:
        hook.remove()
    if not used:
        return
    table = max(used, key=lambda module: module.num_embeddings)
    bench.emit(
        Vocabulary(
            size=size,
            table=tables[id(table)],
            rows=table.num_embeddings,
            highest=max(int(ids.max()) for ids in seen if ids.numel()),
            ids=sum(ids.numel() for ids in seen),
            sequences=sum(len(ids) for ids in seen if ids.ndim == 2),
            doubled=sum(_doubled(ids, given) for ids in seen),
            site=line_of(type(model)),
        )
    )


def _are_tokens(bench: Bench, arguments: tuple[Any, ...]) -> bool:
    """Ids that came with the batch, not positions or kinds of segment that the model made up itself."""
    if not arguments or not isinstance(arguments[0], torch.Tensor):
        return False
    own = {reading.fingerprint([t]) for batch in bench.batches(BATCHES) for t in batch.inputs if t.ndim == 2}
    return reading.fingerprint([arguments[0]]) in own


def _doubled(ids: torch.Tensor, tokenizer: Any) -> int:
    """Sequences with two marks of a beginning; none where padding looks the same."""
    begin, pad = (getattr(tokenizer, f"{name}_token_id", None) for name in ("bos", "pad"))
    if begin is None or begin == pad or ids.ndim != 2 or ids.shape[1] < 2:
        return 0
    return int(((ids[:, 0] == begin) & (ids[:, 1] == begin)).sum())
