"""Who is let in, what can be asked, and what every answer carries."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.dashboard.conftest import SHELF, Served, Written

Serve = Callable[[], Served]
Write = Callable[..., Written]
PAGES = ["/", "/static/dashboard.js", "/api/runs", "/api/runs/one", "/runs/one/report", "/nowhere"]


@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_answered_without_the_token(serve: Serve, write: Write, path: str) -> None:
    write("one")
    served = serve()
    for given in ("", "Bearer wrong", f"Basic {served.token}", "Bearer "):
        answer = served.ask(path, authorization=given)
        assert answer.status == 401
        assert b"firstlight serve" in answer.body
    assert served.ask(f"{path}?token=wrong", authorization="").status == 401
    assert served.ask(path, authorization="", cookie="firstlight-1=x").status == 401


def test_the_token_moves_from_the_address_into_a_cookie(serve: Serve) -> None:
    served = serve()
    answer = served.ask(f"/?a=1&token={served.token}", authorization="")
    assert answer.status == 303
    assert answer.headers["location"] == "/?a=1"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert served.ask("/", authorization="", cookie=cookie.partition(";")[0]).status == 200


def test_an_address_cannot_lead_elsewhere(serve: Serve) -> None:
    served = serve()
    location = served.ask(f"//evil.example/?token={served.token}", authorization="").headers["location"]
    assert location.startswith("/")
    assert not location.startswith("//")


@pytest.mark.parametrize("path", PAGES)
def test_every_answer_is_guarded(serve: Serve, path: str) -> None:
    served = serve()
    for headers in ({}, {"authorization": ""}):
        answer = served.ask(path, **headers)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe-inline" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:1", 200),
        ("LOCALHOST", 200),
        ("127.0.0.1:80", 200),
        ("[::1]:80", 200),
        ("evil.example", 421),
        ("evil.example:8765", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example:80", 421),
        ("", 421),
    ],
)
def test_a_name_that_is_not_ours_is_not_answered(serve: Serve, host: str, status: int) -> None:
    assert serve().ask("/", host=host).status == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_can_be_changed(serve: Serve, method: str) -> None:
    assert serve().ask("/api/runs", method=method).status == 405


ESCAPES = [
    "/static/../app.py",
    "/static/%2e%2e/app.py",
    "/static/%2e%2e%2fapp.py",
    "/static/__init__.py",
    "/api/runs/..",
    "/api/runs/%2e%2e",
    "/api/runs/..%2f..",
    "/runs/one/files/../two/secret.txt",
    "/runs/one/files/%2e%2e/two/secret.txt",
    "/runs/one/files/..%2f..%2f..%2fsecret.txt",
    "/runs/one/files//etc/passwd",
    "/runs/one/files/%2fetc%2fpasswd",
    "/runs/one/files/link.txt",
    "/runs/one/files/folder/secret.txt",
    "/runs/one/files/",
    "/runs/%2e%2e/files/secret.txt",
    "/runs/away/files/secret.txt",
    "/api/runs/one%00",
]


@pytest.mark.parametrize("path", ESCAPES)
def test_no_way_leads_out_of_a_run(serve: Serve, write: Write, tmp_path: Path, path: str) -> None:
    one, two = write("one"), write("two")
    outside = tmp_path / "outside"
    outside.mkdir()
    for folder in (two.run.path, tmp_path, outside, tmp_path / SHELF.parent):
        (folder / "secret.txt").write_text("secret", encoding="utf-8")
    (outside / "events.ndjson").touch()
    (one.run.path / "link.txt").symlink_to(tmp_path / "secret.txt")
    (one.run.path / "folder").symlink_to(outside)
    (tmp_path / SHELF / "away").symlink_to(outside)
    answer = serve().ask(path)
    assert answer.status == 404
    assert b"secret" not in answer.body
