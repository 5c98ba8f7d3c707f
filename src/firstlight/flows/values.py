"""The flow of values: where the examples of a batch stop differing from one another."""

from dataclasses import dataclass

from firstlight.records.taped import TapeRow


@dataclass(frozen=True, slots=True)
class Loss:
    """The first row after which nothing tells the examples apart, and the last that still does."""

    first_bad: TapeRow
    last_good: TapeRow | None


def examples_lost(rows: dict[int, TapeRow], predictions: tuple[int, ...], fed: int) -> Loss | None:
    """None unless every prediction is the same for all examples, although what was fed differs.

    One branch may well forget the examples (a mean over the batch); only what reaches an answer counts. Rows whose
    examples may lie along another axis are looked through.
    """
    told = [rows[number] for number in predictions if number in rows and rows[number].examples is not None]
    if not told or fed < 2 or any(row.examples != 1 or not row.data for row in told):
        return None
    found: list[Loss] = []
    waiting, seen = [(row, row) for row in told], set[tuple[int, int]]()
    while waiting:
        row, alike = waiting.pop()
        if (row.number, alike.number) in seen:
            continue
        seen.add((row.number, alike.number))
        alike = row if row.examples == 1 else alike
        behind = [rows[number] for number in row.made_from if number in rows and rows[number].data]
        differing = [other for other in behind if other.examples is not None and other.examples > 1]
        if differing:
            found.append(Loss(alike, max(differing, key=lambda other: other.number)))
        elif row.examples == 1 and row.entry and not behind:
            found.append(Loss(row, None))
        else:
            waiting.extend((other, alike) for other in behind)
    return min(found, key=lambda loss: loss.first_bad.number, default=None)
