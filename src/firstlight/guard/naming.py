"""Names of modules and parameters as the user knows them."""


def plain(path: str) -> str:
    """Without what `torch.compile` and data parallelism put into a path."""
    return ".".join(part for part in path.split(".") if part != "_orig_mod").removeprefix("module.")
