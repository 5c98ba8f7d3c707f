"""Modules on which `requires_grad` was set as a plain attribute, which freezes and thaws nothing."""

import functools
import linecache
import re
import sys
from collections.abc import Iterator

import torch

from firstlight.observe.inside import sites
from firstlight.records.places import Site


def flagged(root: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Module]]:
    """By their paths. One whose parameters all are as the attribute says keeps books, and does no harm."""
    for path, module in root.named_modules():
        said = vars(module).get("requires_grad")
        if said is not None and any(p.requires_grad != said for p in module.parameters()):
            yield path, module


@functools.cache
def assigned_at(path: str) -> Site | None:
    """The line in the user's files that assigns it to the module of this path."""
    pattern = re.compile(rf"\b{re.escape(path.rpartition('.')[2] or 'model')}\.requires_grad\s*=(?!=)")
    for file in sorted(str(getattr(module, "__file__", None) or "") for module in list(sys.modules.values())):
        if file.endswith(".py") and sites.is_users(file):
            for number, line in enumerate(linecache.getlines(file), 1):
                if pattern.search(line):
                    return sites.site_of(file, number)
    return None
