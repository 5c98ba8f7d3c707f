"""`fl.check_data` on data with one thing wrong, and on healthy data that look suspicious."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn.datasets

import firstlight as fl
from firstlight.data import summary
from firstlight.data.asking import check_data
from firstlight.errors import UsageError
from firstlight.records.finding import Severity
from firstlight.records.report import Report, Status, Verdict

DRAW = np.random.default_rng(5)


def loud(report: Report) -> list[str]:
    return [f"{one.name}: {one.saw}" for one in report.findings if one.severity != "note"]


def names(report: Report) -> set[str]:
    return {one.name for one in report.findings}


def test_it_is_public() -> None:
    assert fl.check_data is check_data


def test_a_healthy_table_is_clean_and_says_what_was_read(table: Any) -> None:
    report = fl.check_data(table[:800], val=table[800:], target="y")

    assert (report.verdict, report.findings) == (Verdict.CLEAN, ())
    assert report.coverage.ended == "train: 800 rows × 4 columns; val: 200 rows × 4 columns"
    assert [one.rows for one in report.tables] == [800, 200]
    assert [column.role for column in report.tables[0].columns] == ["input", "input", "input", "target"]
    skipped = {one.name for one in report.checks if one.status is Status.SKIPPED}
    assert {"splits-share-groups", "training-knows-future", "images-damaged"} <= skipped


def test_without_target_and_splits_it_says_what_it_does_not_say(table: Any) -> None:
    limits = " ".join(fl.check_data(table).coverage.limits)

    assert "no target was named" in limits
    assert "no other split was given" in limits


def test_near_copies_of_rows_are_found_beside_exact_ones(table: Any) -> None:
    frame = table.to_pandas()
    jittered = frame[:100].assign(a=lambda rows: rows["a"] + 1e-5, b=lambda rows: rows["b"] - 1e-5)
    report = fl.check_data(frame[:800], val=pd.concat([frame[800:], jittered]), target="y")

    (finding,) = [one for one in report.findings if one.name == "splits-share-rows"]
    assert finding.evidence["exact"] == 0
    assert int(str(finding.evidence["near"])) > 80


def test_rows_are_compared_without_their_numbers(table: Any) -> None:
    frame = table.to_pandas().assign(id=range(1000))
    copied = frame[:50].assign(id=range(1000, 1050))
    report = fl.check_data(frame[:800], val=pd.concat([frame[800:], copied]), target="y")

    assert "splits-share-rows" in names(report)


def test_coarse_columns_share_rows_by_chance() -> None:
    coarse = pa.table({name: DRAW.integers(0, 3, 2000) for name in "abcd"} | {"y": DRAW.integers(0, 2, 2000)})

    assert loud(fl.check_data(coarse[:1500], val=coarse[1500:], target="y")) == []


def test_one_column_of_fractions_is_near_itself_by_chance() -> None:
    report = fl.check_data(pa.table({"a": DRAW.normal(size=4000)}), val=pa.table({"a": DRAW.normal(size=500)}))

    assert loud(report) == []


def test_a_forecast_is_no_misalignment() -> None:
    walk = DRAW.normal(size=1500)
    frame = pa.table({"value": walk[:-1], "before": np.r_[0.0, walk[:-2]], "y": walk[1:]})

    assert loud(fl.check_data(frame, target="y")) == []


def test_a_drift_that_only_two_columns_together_show(table: Any) -> None:
    a, b = DRAW.normal(size=(2, 1500))
    train = pa.table({"a": a, "b": b})
    turned = pa.table({"a": a[:700], "b": a[:700] + 0.1 * b[:700]})
    report = fl.check_data(train, val=turned)

    (finding,) = [one for one in report.findings if one.name == "splits-differ"]
    assert finding.saw.startswith("a classifier tells its rows from training rows")


def test_imbalance_and_missing_values_within_reason_are_healthy() -> None:
    a = DRAW.normal(size=3000)
    y = np.where(a + 0.3 * DRAW.normal(size=3000) > 2.2, "fraud", "fine")
    frame = pd.DataFrame({"a": a, "b": DRAW.lognormal(0, 2, 3000), "y": y})
    frame.loc[frame.sample(600, random_state=0).index, "b"] = None

    assert loud(fl.check_data(frame[:2400], test=frame[2400:], target="y")) == []


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes", "digits"])
def test_public_data_are_quiet(name: str) -> None:
    frame = getattr(sklearn.datasets, f"load_{name}")(as_frame=True).frame.sample(frac=1, random_state=0)
    part = len(frame) * 4 // 5

    assert loud(fl.check_data(frame[:part], test=frame[part:], target="target")) == []


def test_beyond_its_budget_a_table_is_sampled_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "SAMPLE_ROWS", 500)
    monkeypatch.setattr(summary, "KEYS", 1000)
    draws = DRAW.normal(size=(4000, 3))
    frame = pd.DataFrame(draws, columns=list("abc"))
    report = fl.check_data(
        frame, val=pd.concat([frame[:200], pd.DataFrame(DRAW.normal(size=(600, 3)), columns=list("abc"))])
    )

    assert any("500 random rows of train" in limit for limit in report.coverage.limits)
    assert any("copies were looked for among" in limit for limit in report.coverage.limits)
    (finding,) = [one for one in report.findings if one.name == "splits-share-rows"]
    exact, looked = (int(str(finding.evidence[key])) for key in ("exact", "looked"))
    assert exact / looked == pytest.approx(0.25, abs=0.06)


def test_ten_thousand_columns_are_read_and_the_limit_is_told(folder: Path) -> None:
    wide = pa.table({f"c{place}": np.arange(30) * place % 7 for place in range(10_000)})
    report = fl.check_data(wide, select=["columns-say-nothing"])

    assert any("the first 1,000 columns were compared" in limit for limit in report.coverage.limits)
    assert len(report.tables[0].columns) == 10_000


def test_numbers_with_words_among_them_are_read_as_text_wherever_they_come(folder: Path) -> None:
    lines = ["a,b", *(f"{place},{place * 7 % 13}" for place in range(600_000)), "unknown,3"]
    Path("t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    report = fl.check_data("t.csv", select=["types-mixed"])

    assert report.tables[0].columns[0].kind == "text"
    assert report.tables[0].rows == 600_001


def test_a_data_loader_and_images_as_arrays() -> None:
    pictures = DRAW.random((120, 1, 8, 8)).astype(np.float32)
    labels = DRAW.integers(0, 2, 120)
    pictures[labels == 1, :, :4] += 1.0
    report = fl.check_data((pictures, labels), val=(pictures[:40], labels[:40]))

    assert "splits-share-rows" in names(report)


@pytest.mark.parametrize("role", ["target", "group", "time"])
def test_a_column_that_is_not_there(role: str, table: Any) -> None:
    with pytest.raises(UsageError, match=f"no column `nothing`, named as {role}"):
        fl.check_data(table, **{role: "nothing"})


def test_what_moves_with_time_within_training_is_no_warning() -> None:
    days, noise = np.arange(1200), np.random.default_rng(0).normal(size=(2, 1200))
    trend = {"day": days, "sold": days / 200 + noise[0], "price": noise[1]}
    table = pa.table(trend)
    told = {
        name: [
            (found.severity, found.saw)
            for found in check_data(table[:800], val=val, time="day", select=["splits-differ"]).findings
        ]
        for name, val in (
            ("goes on", table[800:]),
            ("jumps", pa.table(trend | {"price": np.where(days >= 800, noise[1] * 3 + 2, noise[1])})[800:]),
        )
    }

    assert [severity for severity, _ in told["goes on"]] == [Severity.NOTE]
    assert [severity for severity, _ in told["jumps"]] == [Severity.WARNING]
