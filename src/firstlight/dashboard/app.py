"""Addresses and what they answer. Everything a run says goes out as JSON or as a file; pages are ours alone."""

import math
from importlib import resources
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from firstlight.dashboard.follower import Follower
from firstlight.dashboard.gate import Gate
from firstlight.dashboard.hub import Hub, drawn
from firstlight.dashboard.shelf import Shelf
from firstlight.records import wire
from firstlight.report import html
from firstlight.report.html import plots
from firstlight.store.run_directory import RunDirectory

KINDS = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
READABLE = frozenset({".json", ".ndjson", ".log", ".txt", ".md", ".csv", ".toml", ".py", ".xml", ".sarif"})
SANDBOX = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; sandbox allow-scripts"
)
"""For the report: it may run its own script, which its own policy names, but not as a page of this server."""
MOST_COMPARED = 8
"""As many as there are colours."""
COMPARING_SECONDS = 0.5
"""For each run; the page asks again until all are read."""
MOST_FILES = 2_000
HIDDEN = frozenset({"scratch", "timelines"})


def application(folder: Path, token: str, cookie: str, names: frozenset[str] = frozenset()) -> Gate:
    views = Views(Hub(Shelf(folder)))
    routes = [
        Route("/", views.page),
        Route("/static/{name}", views.static),
        Route("/api/runs", views.runs),
        Route("/api/compare", views.compare),
        Route("/api/runs/{run}", views.run),
        Route("/api/runs/{run}/live", views.live),
        Route("/api/runs/{run}/curves", views.curves),
        Route("/api/runs/{run}/layers", views.layers),
        Route("/runs/{run}/report", views.report),
        Route("/runs/{run}/files/{path:path}", views.file),
    ]
    return Gate(Starlette(routes=routes), token, cookie, names)


def asset(name: str) -> bytes | None:
    """A file of the front end: the dashboard's own, or one it shares with the report."""
    if "/" in name or Path(name).suffix not in KINDS:
        return None
    for package in ("firstlight.dashboard.web", "firstlight.report.web"):
        found = resources.files(package) / name
        if found.is_file():
            return found.read_bytes()
    return None


class Views:
    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._shelf = hub.shelf

    async def page(self, _: Request) -> Response:
        return Response(asset("index.html"), media_type="text/html")

    async def static(self, request: Request) -> Response:
        name = request.path_params["name"]
        found = asset(name)
        if found is None:
            raise HTTPException(404)
        return Response(found, media_type=KINDS[Path(name).suffix])

    async def runs(self, _: Request) -> Response:
        cards = await run_in_threadpool(self._shelf.cards)
        return _json({"root": self._shelf.root.name, "runs": wire.to_plain(cards)})

    async def run(self, request: Request) -> Response:
        run = self._run(request)
        report = await run_in_threadpool(self._shelf.report, run)
        card = await run_in_threadpool(self._shelf.card, run)
        files = await run_in_threadpool(_files, run)
        return _json({"card": wire.to_plain(card), "report": wire.to_plain(report), "files": files})

    async def live(self, request: Request) -> Response:
        watch = self._hub.watch(self._run(request))
        return StreamingResponse(watch.pictures(), media_type="text/event-stream")

    async def curves(self, request: Request) -> Response:
        """With `from` and `to`, a stretch of steps as fine as it was logged."""
        watch = self._hub.watch(self._run(request))
        low, high = _limit(request, "from", -math.inf), _limit(request, "to", math.inf)
        await watch.caught_up()
        whole = math.isinf(low) and math.isinf(high)
        fine = None if whole else await run_in_threadpool(watch.follower.between, low, high)
        found = await run_in_threadpool(watch.follower.chronicle) if fine is None else fine
        plain = await run_in_threadpool(lambda: wire.to_plain(drawn(found)))
        return _json({"read": watch.follower.read, "fine": fine is not None, "plots": plain})

    async def layers(self, request: Request) -> Response:
        watch = self._hub.watch(self._run(request))
        await watch.caught_up()
        plain = await run_in_threadpool(lambda: wire.to_plain(plots.layered(watch.follower.chronicle())))
        return _json({"plots": plain})

    async def compare(self, request: Request) -> Response:
        runs = [run for run in map(self._shelf.run, request.query_params.getlist("run")) if run is not None]
        watches = [self._hub.watch(run) for run in runs[:MOST_COMPARED]]
        for watch in watches:
            await watch.caught_up(COMPARING_SECONDS)
        found = await run_in_threadpool(lambda: _compared(self._shelf, [watch.follower for watch in watches]))
        return _json(found)

    async def report(self, request: Request) -> Response:
        run = self._run(request)
        report = await run_in_threadpool(self._shelf.report, run)
        if report is None:
            raise HTTPException(404, "no report yet: the run has not ended")
        watch = self._hub.watch(run)
        await watch.caught_up()
        page = await run_in_threadpool(lambda: html.render(report, watch.follower.chronicle()))
        return HTMLResponse(page, headers={"content-security-policy": SANDBOX})

    async def file(self, request: Request) -> Response:
        run = self._run(request)
        home = run.path.resolve()
        path = (home / request.path_params["path"]).resolve()
        if not path.is_relative_to(home) or not path.is_file():
            raise HTTPException(404)
        readable = path.suffix in READABLE
        headers = {"content-security-policy": "default-src 'none'; sandbox"}
        kind = "text/plain; charset=utf-8" if readable else "application/octet-stream"
        return FileResponse(path, media_type=kind, headers=headers, filename=None if readable else path.name)

    def _run(self, request: Request) -> RunDirectory:
        run = self._shelf.run(request.path_params["run"])
        if run is None:
            raise HTTPException(404, "no such run")
        return run


def _compared(shelf: Shelf, followers: list[Follower]) -> dict[str, Any]:
    told = {follower.run.id: follower.chronicle() for follower in followers}
    cards = [shelf.card(follower.run) for follower in followers]
    read = min((follower.read for follower in followers), default=1.0)
    found: dict[str, Any] = wire.to_plain({"cards": cards, "read": read, "plots": plots.compared(told)})
    return found


def _files(run: RunDirectory) -> list[dict[str, Any]]:
    """What the run left behind, links and scratch left out."""
    found = []
    for path in sorted(run.path.rglob("*"))[:MOST_FILES]:
        parts = path.relative_to(run.path).parts
        if path.is_file() and not path.is_symlink() and parts[0] not in HIDDEN:
            found.append({"path": "/".join(parts), "bytes": path.stat().st_size})
    return found


def _limit(request: Request, name: str, default: float) -> float:
    try:
        value = float(request.query_params.get(name, default))
    except ValueError:
        raise HTTPException(400, f"`{name}` is no number") from None
    return default if math.isnan(value) else value


def _json(value: Any) -> Response:
    return Response(wire.encode(value), media_type="application/json")
