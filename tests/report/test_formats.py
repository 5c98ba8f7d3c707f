"""The formats for machines and for other people's pages: valid, complete, and safe with any text in them."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from firstlight.records.finding import Severity
from firstlight.records.printable import OBEYED
from firstlight.records.report import Report, Verdict
from firstlight.report import github, junit, markdown, sarif
from firstlight.report.formats import RENDERERS, Asked

SARIF = json.loads((Path(__file__).parent / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
"""The standard's own schema, as OASIS publishes it (errata 01)."""
Tell = Callable[[str], Report]


def unjudged(report: Report) -> Report:
    return msgspec.structs.replace(report, verdict=Verdict.UNJUDGED, findings=(), reason="it crashed: 100% <sure>")


@pytest.mark.parametrize("form", RENDERERS)
@pytest.mark.parametrize("kind", ["script", "sources"])
def test_every_format_renders_every_report(tell: Tell, word: str, form: str, kind: str) -> None:
    report = tell(word)
    report = msgspec.structs.replace(report, subject=msgspec.structs.replace(report.subject, kind=kind))
    for one in (report, unjudged(report)):
        assert RENDERERS[form](Asked(one)).endswith("\n")


@pytest.mark.parametrize("form", RENDERERS)
@pytest.mark.parametrize("kind", ["script", "sources"])
def test_nothing_in_a_report_is_obeyed_by_a_terminal_or_a_build_service(tell: Tell, form: str, kind: str) -> None:
    report = tell("\n::stop-commands::x\n ##[group]y \x1b]52;c;eA==\a\x1b[2J\r\x9b2J\u202e\udcff\U000e0041")
    report = msgspec.structs.replace(report, subject=msgspec.structs.replace(report.subject, kind=kind))
    for one in (report, msgspec.structs.replace(report, verdict=Verdict.UNJUDGED, reason=report.coverage.ended)):
        text = RENDERERS[form](Asked(one, trail=True))
        assert not OBEYED.search(text)
        assert text.encode()
        orders = [line for line in text.splitlines() if line.lstrip().startswith("::")]
        assert "##[" not in text
        assert all(form == "github" and re.match("::(error|warning|notice) ", line) for line in orders)


class TestSarif:
    @pytest.fixture
    def log(self, tell: Tell, word: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(sarif.render(tell(word)))
        return found

    def test_it_obeys_the_schema_of_the_standard(self, log: dict[str, Any], report: Report) -> None:
        validator = Draft4Validator(SARIF)
        validator.validate(log)
        validator.validate(json.loads(sarif.render(unjudged(report))))
        assert not validator.is_valid({**log, "version": "2.0.0"})

    def test_places_are_relative_to_the_root_and_further_ones_are_related(self, report: Report) -> None:
        (run,) = json.loads(sarif.render(report))["runs"]
        first = run["results"][0]
        place = first["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": "trainfine.py", "uriBaseId": "%SRCROOT%"}
        assert place["region"] == {"startLine": 38}
        related = first["relatedLocations"][0]["physicalLocation"]
        assert (related["artifactLocation"]["uri"], related["region"]["startLine"]) == ("model.py", 18)
        assert [result["level"] for result in run["results"]] == ["error", "warning", "note"]

    def test_a_fingerprint_survives_moved_lines_and_differs_between_lines(self, report: Report) -> None:
        moved = msgspec.structs.replace(
            report,
            findings=tuple(
                msgspec.structs.replace(one, where=msgspec.structs.replace(one.where, line=(one.where.line or 0) + 7))
                for one in report.findings
            ),
            excerpts=tuple(msgspec.structs.replace(one, first=one.first + 7) for one in report.excerpts),
        )

        def prints(one: Report) -> list[str]:
            results = json.loads(sarif.render(one))["runs"][0]["results"]
            return [result["partialFingerprints"]["firstlight/v1"] for result in results]

        assert prints(moved) == prints(report)
        assert len(set(prints(report))) == len(report.findings)

    def test_what_could_not_be_judged_did_not_succeed(self, report: Report) -> None:
        (invocation,) = json.loads(sarif.render(unjudged(report)))["runs"][0]["invocations"]
        assert invocation["executionSuccessful"] is False
        assert "100% <sure>" in invocation["toolExecutionNotifications"][0]["message"]["text"]


class TestJunit:
    @pytest.mark.parametrize(("strict", "failures"), [(False, 1), (True, 1)])
    def test_counts_agree_with_the_cases(self, tell: Tell, word: str, strict: bool, failures: int) -> None:
        whole = ElementTree.fromstring(junit.render(tell(word), strict))
        (suite,) = whole
        assert (whole.tag, suite.tag) == ("testsuites", "testsuite")
        for element in (whole, suite):
            for attribute, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                assert element.get(attribute) == str(len(suite.findall(f"testcase/{kind}")))
            assert element.get("tests") == str(len(suite.findall("testcase"))) == "4"
        assert suite.get("failures") == str(failures)

    def test_a_warning_fails_only_when_strict(self, report: Report) -> None:
        warned = msgspec.structs.replace(
            report, findings=(msgspec.structs.replace(report.findings[0], severity=Severity.WARNING),)
        )
        assert 'failures="0"' in junit.render(warned)
        assert 'failures="1"' in junit.render(warned, strict=True)

    def test_a_case_names_the_line(self, report: Report) -> None:
        case = ElementTree.fromstring(junit.render(report)).find("testsuite/testcase[failure]")
        assert case is not None
        assert (case.get("file"), case.get("line")) == ("trainfine.py", "38")

    def test_what_could_not_be_judged_is_an_error_and_never_green(self, report: Report) -> None:
        error = ElementTree.fromstring(junit.render(unjudged(report))).find("testsuite/testcase[@name='verdict']/error")
        assert error is not None
        assert error.get("message") == "it crashed: 100% <sure>"


class TestGithub:
    def test_each_finding_is_one_line_whatever_it_says(self, tell: Tell) -> None:
        text = github.render(tell("a\nb\r::error::c,d:e%"))
        assert len(text.splitlines()) == 3
        assert [line.split(" ")[0] for line in text.splitlines()] == ["::error", "::warning", "::notice"]
        assert "file=traina%0Ab\\r%3A%3Aerror%3A%3Ac%2Cd%3Ae%25.py,line=38," in text

    def test_what_could_not_be_judged_is_an_error(self, report: Report) -> None:
        assert (
            github.render(unjudged(report)) == "::error title=firstlight::could not judge: it crashed: 100%25 <sure>\n"
        )


class TestMarkdown:
    def test_the_line_is_shown_in_its_place(self, report: Report) -> None:
        assert "    37  line 37 fine\n>   38  line 38 fine\n    39  line 39 fine" in markdown.render(report)

    @given(st.text(alphabet="`a<>@#1[]()*_~|\\!&:/w. \n", max_size=40))
    def test_no_text_makes_html_a_link_a_mention_or_a_reference(self, plain: str) -> None:
        written = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", markdown.prose(plain))
        assert "\n" not in written
        assert re.findall(r"<|>|@|://|(?<!&)#\d", written) == []
        assert re.findall(r"(?<!\\)(?:\\\\)*[\[\]*|~]", written) == []

    @given(st.text(alphabet="`ab ", min_size=1, max_size=20))
    def test_code_holds_whatever_backticks_are_in_it(self, plain: str) -> None:
        written = markdown.code(plain)
        fence = re.match("`+", written)
        assert fence is not None
        inner = written[len(fence[0]) : -len(fence[0])]
        assert fence[0] not in re.findall("`+", inner)

    def test_a_fence_is_longer_than_any_in_the_source(self) -> None:
        assert markdown.fenced(("a", "````"), "python").splitlines()[0] == "`````python"

    def test_at_most_so_many_findings_are_shown(self, report: Report) -> None:
        many = msgspec.structs.replace(report, findings=report.findings[:1] * 40)
        assert "15 more findings are in the full report." in markdown.render(many)
