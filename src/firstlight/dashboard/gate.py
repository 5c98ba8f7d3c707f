"""What every request passes: right host, right token, nothing but reading; and what every answer carries."""

import ipaddress
import re
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^:\[\]]+)(?::\d+)?")
LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain"})
READING = ("GET", "HEAD")
TOKEN = "token"
REFUSED = b"firstlight: open the address that `firstlight serve` printed; it carries the token this page asks for.\n"


class Gate:
    """Around the whole application, so that no page can be forgotten."""

    def __init__(self, app: App, token: str, cookie: str, names: frozenset[str] = frozenset()) -> None:
        self._app, self._token, self._cookie = app, token, cookie
        self._names = LOCAL_NAMES | {name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return None  # no sockets, no lifespan
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        guarded = _guarded(send)
        if not self._is_ours(headers.get("host", "")):
            return await _say(guarded, 421, b"firstlight: this server does not answer to that name.\n")
        if scope["method"] not in READING:
            return await _say(guarded, 405, b"firstlight: nothing can be changed here.\n")
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if self._fits(dict(query).get(TOKEN)):
            return await self._admit(scope, query, guarded)
        if not (self._fits(_cookie(headers, self._cookie)) or self._fits(_bearer(headers))):
            return await _say(guarded, 401, REFUSED)
        return await self._app(scope, receive, guarded)

    def _is_ours(self, host: str) -> bool:
        """A page elsewhere can make its own name point here; it cannot change the name the browser sends."""
        found = HOST.fullmatch(host.lower())
        if found is None:
            return False
        name = found["name"].strip("[]")
        return name in self._names or _is_number(name)

    def _fits(self, given: str | None) -> bool:
        return given is not None and secrets.compare_digest(given.encode(), self._token.encode())

    async def _admit(self, scope: Scope, query: list[tuple[str, str]], send: Send) -> None:
        """The token moves from the address, which is shown and remembered, into a cookie, which is not."""
        left = urlencode([(key, value) for key, value in query if key != TOKEN])
        target = "/" + scope["path"].lstrip("/\\") + (f"?{left}" if left else "")
        cookie = f"{self._cookie}={self._token}; HttpOnly; SameSite=Lax; Path=/"
        more = [(b"location", target.encode("utf-8")), (b"set-cookie", cookie.encode())]
        await _say(send, 303, b"", more)


def _is_number(name: str) -> bool:
    """An address is no name that somebody could point elsewhere."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _guarded(send: Send) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = list(message.get("headers", ()))
            named = {key.lower() for key, _ in own}
            own += [(key.encode(), value.encode()) for key, value in HEADERS.items() if key.encode() not in named]
            message = {**message, "headers": own}
        await send(message)

    return guarded


async def _say(send: Send, status: int, body: bytes, more: list[tuple[bytes, bytes]] | None = None) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers + (more or [])})
    await send({"type": "http.response.body", "body": body})


def _cookie(headers: dict[str, str], name: str) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except Exception:  # noqa: BLE001  # a cookie of another program on this machine may be anything
        return None
    return found.value if found else None


def _bearer(headers: dict[str, str]) -> str | None:
    kind, _, value = headers.get("authorization", "").partition(" ")
    return value if kind.lower() == "bearer" else None
