"""The tape written down: for each row behind the loss its place, its shape, and whether the examples still differ."""

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.tape.examples import differing, spread
from firstlight.observe.inside.tape.recorder import PARAMETER, Mark, Row
from firstlight.records.taped import TapeRow


def written(rows: list[Row], loss: torch.Tensor, batch: int, files: dict[str, int]) -> list[TapeRow]:
    """In order; `files` is filled with the names of the files."""
    outputs = {made[0].number: tensor for row in rows for tensor, _, made in row.inputs if made and made[1] == 0}
    outputs[rows[-1].number] = loss
    return [_card(row, outputs[row.number], batch, files) for row in rows if row.number in outputs]


def _card(row: Row, output: torch.Tensor, batch: int, files: dict[str, int]) -> TapeRow:
    readable = reading.readable(output) and output.numel() > 0 and not output.is_sparse and not output.is_complex()
    examples = differing(output, batch) if readable else None
    return TapeRow(
        number=row.number,
        operation=row.name,
        file=None if row.line is None else files.setdefault(row.line.file, len(files)),
        line=0 if row.line is None else row.line.line,
        shape=tuple(output.shape),
        made_from=tuple(sorted({made[0].number for _, _, made in row.inputs if made is not None})),
        trained=bool(row.marks & Mark.TRAINED),
        data=bool(row.marks & ~PARAMETER),
        gradient=output.requires_grad,
        entry=row.door,
        examples=examples,
        size=float(reading.sample_of(output).float().square().mean().sqrt()) if readable else 0.0,
        spread=None if examples is None else spread(output),
    )
