import sqlite3
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., str]


def test_sqlite_databases_are_copied(run: Run, project: Path) -> None:
    connection = sqlite3.connect(project / "study.db")
    connection.execute("create table t(x)")
    connection.commit()
    connection.close()
    assert run("""
        import sqlite3
        from sqlite3 import dbapi2
        sqlite3.connect(":memory:").execute("create table t(x)")
        with dbapi2.connect("study.db") as connection:
            connection.execute("insert into t values (1)")
        connection.close()
        connection = sqlite3.connect("file:study.db?mode=ro", uri=True)
        print(connection.execute("select count(*) from t").fetchone())
        sqlite3.connect(Path("new.db")).execute("create table u(x)")
        print(os.path.exists("new.db"))
    """).splitlines() == ["(1,)", "True"]
