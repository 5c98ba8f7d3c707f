"""The throw-away process of `firstlight check package.module:experiment`: imports it, probes it, writes the report."""

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import msgspec

from firstlight.errors import UsageError
from firstlight.experiments.declared.experiment import Experiment
from firstlight.observe.target import Declaration
from firstlight.report import json as json_report
from firstlight.settings import Settings
from firstlight.survey import DISABLED, survey


def main() -> None:
    """`python -m firstlight.declaration TARGET SETTINGS REPORT ARGS…`"""
    target, settings, report, *arguments = sys.argv[1:]
    os.environ[DISABLED] = "1"  # the module may gate its own run
    sys.path.insert(0, str(Path.cwd()))
    try:
        experiment = found(Declaration.parse(target), arguments)
    except UsageError as error:
        raise SystemExit(str(error)) from None
    told = survey(experiment, msgspec.json.decode(settings, type=Settings), lambda _text: None)
    Path(report).write_text(json_report.render(told), encoding="utf-8")


def found(declaration: Declaration, arguments: list[str]) -> Experiment:
    sys.argv = [declaration.module, *arguments]
    value: Any = _module(declaration.module)
    for name in declaration.attribute.split("."):
        if not hasattr(value, name):
            raise UsageError(f"{declaration.module} has no `{declaration.attribute}`.{_experiments(value)}")
        value = getattr(value, name)
    if not isinstance(value, Experiment) and callable(value):
        value = value()
    if not isinstance(value, Experiment):
        raise UsageError(f"{declaration} is a {type(value).__name__}, not a firstlight.Experiment or what makes one")
    return value


def _module(name: str) -> Any:
    """A file is imported as a script's neighbour would be: its folder comes first on the path."""
    if not name.endswith(".py"):
        return importlib.import_module(name)
    file = Path(name).resolve()
    sys.path.insert(0, str(file.parent))
    return importlib.import_module(file.stem)


def _experiments(module: Any) -> str:
    names = [name for name, value in vars(module).items() if isinstance(value, Experiment)]
    return f" Its experiments are {', '.join(names)}." if names else ""


if __name__ == "__main__":
    main()
