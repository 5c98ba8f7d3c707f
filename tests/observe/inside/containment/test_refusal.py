from collections.abc import Callable

Run = Callable[..., str]


def test_what_bypasses_the_routes_is_refused_by_name(run: Run) -> None:
    assert run("""
        import posix
        for act in (lambda: posix.unlink("log.txt"), lambda: posix.open("new", os.O_WRONLY | os.O_CREAT),
                    lambda: posix.rename("log.txt", "other"), lambda: posix.mkdir("sub")):
            try:
                act()
            except OSError as problem:
                print(problem.filename)
    """).splitlines() == ["log.txt", "new", "log.txt", "sub"]
