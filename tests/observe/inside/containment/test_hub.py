from collections.abc import Callable

import pytest

Run = Callable[..., str]


def test_nothing_is_sent_to_the_hub(run: Run) -> None:
    pytest.importorskip("huggingface_hub")
    assert run(
        """
        import huggingface_hub
        print(huggingface_hub.create_repo("model", exist_ok=True).repo_id)
        api = huggingface_hub.HfApi(endpoint="http://127.0.0.1:9")
        print(api.upload_file(path_or_fileobj="log.txt", path_in_repo="x", repo_id="me/model").repo_url.repo_id)
        print(huggingface_hub.upload_folder(folder_path=".", repo_id="me/d", run_as_future=True).result().oid[:3])
        print(api.delete_repo("me/model"))
        """,
        HF_ENDPOINT="http://127.0.0.1:9",
    ).splitlines() == ["held-back/model", "me/model", "000", "None"]
