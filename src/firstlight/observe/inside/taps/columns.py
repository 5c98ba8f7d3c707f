"""Columns that the Hugging Face Trainer takes away because the model's `forward` does not name them."""

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
    parameters = inspect.signature(type(model).forward).parameters.values()
    takes_any = next((p.name for p in parameters if p.kind is p.VAR_KEYWORD), None)
    if dropped and takes_any is not None and sites.is_users(inspect.getfile(type(model))):
        row = before[0]
        numeric = tuple(name for name in dropped if _is_numeric(row[name]))
        observer.emit(
            ColumnsDropped(step=0, model=type(model).__name__, takes=takes_any, columns=numeric, site=sites.caller())
        )


def _is_numeric(value: Any) -> bool:
    while isinstance(value, list | tuple) and value:
        value = value[0]
    return isinstance(value, int | float) and not isinstance(value, bool)
