"""Columns that the Hugging Face Trainer takes away because the model's `forward` does not name them."""

import dis
import functools
import inspect
from types import ModuleType
from typing import TYPE_CHECKING, Any

from firstlight.observe.inside import sites
from firstlight.observe.inside.imports import when_imported
from firstlight.records.program import ColumnsDropped

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer


def install(observer: "Observer") -> None:
    when_imported("transformers.trainer", functools.partial(_wrap, observer))


def _wrap(observer: "Observer", module: ModuleType) -> None:
    trainer: Any = module.Trainer
    original = trainer._remove_unused_columns
    told = observer.shielded("columns", functools.partial(_tell, observer))

    @functools.wraps(original)
    def remove(self: Any, dataset: Any, *arguments: Any, **keywords: Any) -> Any:
        kept = original(self, dataset, *arguments, **keywords)
        told(self.model, dataset, kept)
        return kept

    trainer._remove_unused_columns = remove


def _tell(observer: "Observer", model: Any, before: Any, after: Any) -> None:
    names = list(getattr(before, "column_names", None) or ())
    dropped = tuple(name for name in names if name not in (getattr(after, "column_names", None) or ()))
    takes_any = takes(type(model).forward)
    if dropped and takes_any is not None and sites.is_users(inspect.getfile(type(model))):
        row = before[0]
        numeric = tuple(name for name in dropped if _is_numeric(row[name]))
        observer.emit(
            ColumnsDropped(step=0, model=type(model).__name__, takes=takes_any, columns=numeric, site=sites.caller())
        )


def takes(forward: Any) -> str | None:
    """The name under which it takes any further input, where it looks at them.

    Trainers give models more than columns (`num_items_in_batch`), so that many take what they never use.
    """
    parameters = inspect.signature(forward).parameters.values()
    name = next((p.name for p in parameters if p.kind is p.VAR_KEYWORD), None)
    code = getattr(inspect.unwrap(forward), "__code__", None)
    if name is None or code is None:
        return name
    return name if any(_names(one.argval, name) for one in dis.get_instructions(code)) else None


def _names(argument: Any, name: str) -> bool:
    """One instruction may load two at once."""
    return argument == name or (isinstance(argument, tuple) and name in argument)


def _is_numeric(value: Any) -> bool:
    while isinstance(value, list | tuple) and value:
        value = value[0]
    return isinstance(value, int | float) and not isinstance(value, bool)
