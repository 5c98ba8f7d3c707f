"""SQLite opens its files natively, by path or by URI, and keeps companions beside them."""

import functools
import os
import urllib.parse
from typing import Any

from firstlight.observe.inside.containment.native import CHANGE, mapped
from firstlight.observe.inside.containment.overlay import Overlay
from firstlight.observe.inside.containment.replacing import replace_when_imported
from firstlight.observe.inside.containment.stand_ins import Route


def route_databases(overlay: Overlay) -> None:
    for module in ("sqlite3.dbapi2", "sqlite3"):
        replace_when_imported(module, "connect", functools.partial(_route_connect, overlay))


def _route_connect(overlay: Overlay, original: Route) -> Route:
    def connect(database: Any, *args: Any, **options: Any) -> Any:
        text = os.fsdecode(database)
        if text not in ("", ":memory:"):
            is_uri = options.get("uri") and text.startswith("file:")
            database = _mapped_uri(overlay, text) if is_uri else _mapped_path(overlay, text, CHANGE)
        return original(database, *args, **options)

    return connect


def _mapped_uri(overlay: Overlay, uri: str) -> str:
    path, mark, query = uri.removeprefix("file:").partition("?")
    if "mode=memory" in query or path == ":memory:":
        return uri
    path = "/" + path.lstrip("/") if path.startswith("//") else path
    flags = os.O_RDONLY if "mode=ro" in query else CHANGE
    return f"file:{urllib.parse.quote(_mapped_path(overlay, urllib.parse.unquote(path), flags))}{mark}{query}"


def _mapped_path(overlay: Overlay, path: str, flags: int) -> str:
    for companion in ("-wal", "-journal"):
        if os.path.exists(path + companion):
            overlay.opened(path + companion, os.O_RDWR)
    return str(mapped(overlay, path, flags))
