"""Where something happened: in the user's source, in the model, in time, on which rank."""

import msgspec


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the user's own code: the innermost frame outside torch, installed packages and firstlight."""

    file: str
    line: int
    function: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Where(msgspec.Struct, frozen=True, kw_only=True):
    file: str | None = None
    line: int | None = None
    module: str | None = None
    step: int | None = None
    rank: int | None = None
    column: int | None = None
    """Counted in bytes from 0."""
    cell: int | None = None
    """Of a notebook, counted from 1; lines then count within it."""

    @property
    def place(self) -> str:
        """File, cell and line, as far as there are any: a table has no lines."""
        cell = None if self.cell is None else f"cell {self.cell}"
        return ":".join(str(part) for part in (self.file, cell, self.line) if part is not None)


def at(site: Site | None, *, module: str | None = None, step: int | None = None, rank: int | None = None) -> Where:
    if site is None:
        return Where(module=module, step=step, rank=rank)
    return Where(file=site.file, line=site.line, module=module, step=step, rank=rank)
