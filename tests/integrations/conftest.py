from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def mlflow_store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One for all tests: MLflow needs seconds to make a new database."""
    folder: Path = tmp_path_factory.mktemp("mlflow")
    return f"sqlite:///{folder / 'mlflow.db'}"
