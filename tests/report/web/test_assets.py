import re

import pytest

from firstlight.report.web.assets import IMPORT, joined, text_of

TOP = re.compile(r"^(?:function|class|const|let) (\w+)", re.MULTILINE)


def test_a_joined_script_imports_and_exports_nothing() -> None:
    assert re.findall(r"^\s*(?:import|export)\b", joined("report"), re.MULTILINE) == []


def test_names_at_the_top_of_modules_are_unique() -> None:
    names = TOP.findall(joined("report"))
    assert len(names) > 20
    assert len(names) == len(set(names))


def test_what_is_imported_stands_before_what_imports_it() -> None:
    script = joined("report")
    assert script.index("function element(") < script.index("class Legend") < script.index("class LineChart")


def test_every_imported_name_is_exported() -> None:
    for module in ("report", "chart", "heatmap", "legend"):
        source = text_of(f"{module}.js")
        for names, origin in re.findall(r'^import \{ ([^}]*) \} from "\./([\w-]+)\.js";', source, re.MULTILINE):
            exported = re.findall(r"^export (?:function|class|const) (\w+)", text_of(f"{origin}.js"), re.MULTILINE)
            assert set(names.split(", ")) <= set(exported)
        assert len(IMPORT.findall(source)) == source.count("\nimport ")


@pytest.mark.parametrize(
    "pattern", [r"\.innerHTML", r"\beval\(", r"new Function", r"document\.write", r"insertAdjacentHTML"]
)
def test_scripts_never_turn_text_into_markup_or_code(pattern: str) -> None:
    assert re.findall(pattern, joined("report")) == []
