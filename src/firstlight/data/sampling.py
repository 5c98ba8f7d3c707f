"""Rows kept of a stream: a sample in which each row has the same chance, drawn by its number alone."""

from typing import Any

import numpy as np
import pyarrow as pa

from firstlight.data.hashing import EVERYTHING, Keys, mixed

SALT = np.uint64(0x5EED)


class RowSample:
    """The rows with the smallest of the numbers that chance gave them; samples of parts merge to that of the whole."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._bound = EVERYTHING
        self._chances: list[Keys] = []
        self._rows: list[Any] = []
        self._tables: list[Any] = []

    def add(self, batch: Any, rows: Any) -> None:
        chances = mixed(rows.astype(np.uint64) ^ SALT)
        chosen = np.flatnonzero(chances <= self._bound)
        if not len(chosen):
            return
        taken = batch if len(chosen) == batch.num_rows else batch.take(pa.array(chosen))
        self._keep(chances[chosen], rows[chosen], pa.Table.from_batches([taken]))

    def merge(self, other: "RowSample") -> None:
        for chances, rows, table in zip(other._chances, other._rows, other._tables, strict=True):
            self._keep(chances, rows, table)
        self._settle()

    def _keep(self, chances: Keys, rows: Any, table: Any) -> None:
        self._chances.append(chances)
        self._rows.append(rows)
        self._tables.append(table)
        if sum(map(len, self._rows)) > 2 * self.most:
            self._settle()

    def _settle(self) -> None:
        if not self._rows:
            return
        chances, rows = np.concatenate(self._chances), np.concatenate(self._rows)
        table = pa.concat_tables(self._tables, promote_options="permissive")
        if len(rows) > self.most:
            order = np.sort(np.argpartition(chances, self.most - 1)[: self.most])
            chances, rows, table = chances[order], rows[order], table.take(pa.array(order))
            self._bound = chances.max()
        self._chances, self._rows, self._tables = [chances], [rows], [table]

    def drawn(self) -> tuple[Any, Any]:
        """The rows and their numbers, in the order of the table."""
        self._settle()
        if not self._rows:
            return None, np.empty(0, dtype=np.int64)
        order = np.argsort(self._rows[0], kind="stable")
        return self._tables[0].take(pa.array(order)).combine_chunks(), self._rows[0][order]
