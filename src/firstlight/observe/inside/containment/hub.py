"""Answers for the Hugging Face Hub what it would answer, and sends nothing."""

import functools
import inspect
from types import MethodType
from typing import Any

from firstlight.observe.inside.containment.replacing import replace
from firstlight.observe.inside.containment.stand_ins import Route

_COMMITS = ("create_commit", "upload_file", "upload_folder", "delete_file", "delete_files", "delete_folder")
_UNSENT = (
    *_COMMITS, "create_repo", "upload_large_folder", "delete_repo", "update_repo_settings", "move_repo",
    "preupload_lfs_files", "create_branch", "delete_branch", "create_tag", "delete_tag", "super_squash_history",
    "create_pull_request",
)  # fmt: skip


def send_nothing(hf_api: Any) -> None:
    for name in _UNSENT:
        replace(f"HfApi.{name}", functools.partial(_unsent, hf_api, name), hf_api)
    for name, value in tuple(vars(hf_api).items()):
        if isinstance(value, MethodType) and value.__self__ is hf_api.api:
            setattr(hf_api, name, getattr(hf_api.api, name))


def _unsent(hf_api: Any, name: str, original: Route) -> Route:
    signature = inspect.signature(original)

    def method(*args: Any, **options: Any) -> Any:
        given = signature.bind(*args, **options).arguments
        answer = _answer(hf_api, name, given)
        if not given.get("run_as_future"):
            return answer
        from concurrent.futures import Future

        future: Future[Any] = Future()
        future.set_result(answer)
        return future

    return method


def _answer(hf_api: Any, name: str, given: dict[str, Any]) -> Any:
    repository = str(given.get("repo_id", "repository"))
    kind = {"dataset": "datasets/", "space": "spaces/"}.get(str(given.get("repo_type")), "")
    owned = repository if "/" in repository else f"held-back/{repository}"
    url = f"{hf_api.constants.ENDPOINT}/{kind}{owned}"
    if name == "create_repo":
        return hf_api.RepoUrl(url)
    if name in _COMMITS:
        message = str(given.get("commit_message") or "held back")
        return hf_api.CommitInfo(f"{url}/commit/{'0' * 40}", message, "", "0" * 40)
    return None
