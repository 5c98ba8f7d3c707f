"""What takes the place of those functions of `os` that are given one or two paths."""

import os
import posix
from collections.abc import Callable
from typing import Any

from firstlight.observe.inside.containment.given import behind, like, naming, text
from firstlight.observe.inside.containment.overlay import Overlay
from firstlight.observe.inside.containment.stand_ins import Route


class Routes:
    """Makes them for one overlay."""

    def __init__(self, overlay: Overlay) -> None:
        self._overlay = overlay
        self._layers = overlay.layers

    def reads(self, original: Route, follow: bool = True) -> Route:
        def route(path: Any, *args: Any, dir_fd: int | None = None, **options: Any) -> Any:
            if path is None or isinstance(path, int) or self._layers.untouched():
                return original(path, *args, **options, **({} if dir_fd is None else {"dir_fd": dir_fd}))
            with naming(path):
                follows = follow and options.get("follow_symlinks", True)
                place = self._overlay.paths.seen(text(self._layers, path, dir_fd), follows)
                return original(like(path, place), *args, **options)

        return route

    def updates(self, original: Route, follow: bool = True) -> Route:
        def route(path: Any, *args: Any, dir_fd: int | None = None, **options: Any) -> Any:
            if isinstance(path, int):
                physical = behind(path)
                if not physical.startswith("/") or not self._layers.held(physical):
                    return original(path, *args, **options)
                path = physical
            with naming(path):
                follows = follow and options.get("follow_symlinks", True)
                place = self._overlay.updated(text(self._layers, path, dir_fd), follows)
                return original(like(path, place), *args, **options)

        return route

    def creates(self, original: Route) -> Route:
        def route(path: Any, *args: Any, dir_fd: int | None = None, **options: Any) -> Any:
            with naming(path):
                place = self._overlay.created(text(self._layers, path, dir_fd))
                return original(like(path, place), *args, **options)

        return route

    def removes(self, operation: Callable[[str], None]) -> Route:
        def route(path: Any, *, dir_fd: int | None = None) -> None:
            with naming(path):
                operation(text(self._layers, path, dir_fd))

        return route

    def moves(self, operation: Callable[[str, str], None]) -> Route:
        def route(
            src: Any, dst: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None, **_options: Any
        ) -> None:
            with naming(src, dst):
                operation(text(self._layers, src, src_dir_fd), text(self._layers, dst, dst_dir_fd))

        return route

    def access(self, path: Any, mode: int, **options: Any) -> bool:
        try:
            return bool(self.reads(posix.access)(path, mode, **options))
        except OSError:
            return False

    def symlink(self, src: Any, dst: Any, target_is_directory: bool = False, *, dir_fd: int | None = None) -> None:
        with naming(src, dst):
            posix.symlink(src, like(src, self._overlay.created(text(self._layers, dst, dir_fd))))

    def truncate(self, path: Any, length: int) -> None:
        if isinstance(path, int):
            posix.truncate(path, length)
            return
        with naming(path):
            posix.truncate(self._overlay.opened(text(self._layers, path), os.O_WRONLY), length)
