"""What holds for all checks."""

import ast
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import firstlight.checks
from firstlight.checks.catalogue import CATALOGUE, named
from firstlight.checks.declare import Check, NoLimits
from firstlight.checks.lookup import SECTIONS, own, section_of
from firstlight.diagnosis.causes import BY_SLUG
from firstlight.facts.sources import DECLARED, READ_FROM_SOURCE, SOURCES
from firstlight.records.finding import Severity
from firstlight.records.live import EvalTrack, ScoreTrack, TermTrack

FOLDER = Path(next(iter(firstlight.checks.__path__)))
EXAMPLES = Path(__file__).parents[1] / "examples"
WITHOUT_EXAMPLES = frozenset({"check-crashed", "disk-runs-full"})
"""A fault of our own, and a disk that is full: no program shows them by itself."""
TOLD = (EvalTrack, ScoreTrack, TermTrack)
"""Facts of what the program tells the guard."""
MOST_LINES = 120
MOST_EXAMPLE_LINES = 56
MAY_IMPORT = ("firstlight.checks.", "firstlight.records.")
MAY_IMPORT_OF_STDLIB = frozenset({"ast", "collections", "dataclasses", "itertools", "math", "re", "statistics"})
"""Neither clock, disk, network nor randomness."""
INSTRUCTIONS = ("check-", "avoid-", "bad-", "use-", "no-")

every_check = pytest.mark.parametrize("check", CATALOGUE, ids=lambda check: check.name)


def module_of(check: Check) -> ModuleType:
    return sys.modules[check.find.__module__]


def source_of(check: Check) -> Path:
    return Path(inspect.getsourcefile(check.find) or "")


def own_words(check: Check) -> list[str]:
    return [check.summary, check.likely, check.fix]


def test_ids_and_names_are_unique() -> None:
    assert len({check.id for check in CATALOGUE}) == len(CATALOGUE)
    assert len({check.name for check in CATALOGUE}) == len(CATALOGUE)


def test_the_catalogue_holds_exactly_the_files_in_the_folders_by_id() -> None:
    numbers = [int(check.id.removeprefix("FL")) for check in CATALOGUE]
    files = {path for path in FOLDER.glob("*/*.py") if path.name != "__init__.py"}

    assert numbers == sorted(numbers)
    assert {source_of(check) for check in CATALOGUE} == files


def test_every_folder_has_a_hundred() -> None:
    folders = {path.parent.name for path in FOLDER.glob("*/__init__.py")}

    assert folders == set(SECTIONS.values())


def test_what_is_seen_at_work_is_a_check_of_runs_for_one_of_the_same_causes() -> None:
    by_name = {check.name: check for check in CATALOGUE}

    for check in CATALOGUE:
        if check.at_work:
            assert check.needs in READ_FROM_SOURCE
            assert by_name[check.at_work].needs not in READ_FROM_SOURCE
            assert set(check.causes) & set(by_name[check.at_work].causes), check.name


def test_every_folder_of_examples_belongs_to_a_check() -> None:
    assert {path.name for path in EXAMPLES.iterdir()} == {check.name for check in CATALOGUE} - WITHOUT_EXAMPLES


def test_a_check_is_found_by_id_or_name_in_any_case() -> None:
    assert named("fl201") is named("FL201") is named("Loss-Broadcast") is named("loss-broadcast")
    assert named("loss") is None


@pytest.mark.parametrize("word", ["fl000", "loss", "FL2011", "no-such-check", "../../errors", ""])
def test_other_words_are_no_check(word: str) -> None:
    assert own(word) is None


@every_check
class TestIdentity:
    def test_it_is_found_alone_by_id_and_by_name(self, check: Check) -> None:
        assert own(check.id.lower()) is own(check.name.upper()) is check

    def test_the_id_is_letters_and_a_number_of_its_folder(self, check: Check) -> None:
        assert re.fullmatch(r"FL\d{3,4}", check.id)
        assert section_of(check) == source_of(check).parent.name

    def test_the_name_is_the_illness_and_the_file(self, check: Check) -> None:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)+", check.name)
        assert check.name.replace("-", "_") == source_of(check).stem
        assert not check.name.startswith(INSTRUCTIONS) or check.name == "check-crashed"

    def test_the_card_is_named_check_and_its_function_find(self, check: Check) -> None:
        assert module_of(check).CHECK is check
        assert check.find is module_of(check).find

    def test_causes_are_of_the_public_vocabulary(self, check: Check) -> None:
        assert check.causes
        assert set(check.causes) <= BY_SLUG.keys()
        assert len(set(check.causes)) == len(check.causes)

    def test_an_error_is_certain_enough_to_stop_a_person(self, check: Check) -> None:
        assert 0 <= check.confidence < 1
        if check.severity is Severity.ERROR and not check.symptom and check.causes[0] != "unknown":
            assert check.confidence >= 0.9

    def test_the_need_has_a_source(self, check: Check) -> None:
        assert check.needs in SOURCES

    def test_find_takes_the_fact_it_needs_and_its_limits(self, check: Check) -> None:
        hints = inspect.get_annotations(check.find, eval_str=True)
        fact, limits, _ = hints.values()

        assert fact is check.needs
        assert limits is type(check.limits)

    def test_it_says_since_when(self, check: Check) -> None:
        assert re.fullmatch(r"\d+\.\d+", check.since)


@every_check
class TestFile:
    def test_it_can_be_read_in_two_minutes(self, check: Check) -> None:
        assert len(source_of(check).read_text().splitlines()) <= MOST_LINES

    def test_the_page_has_a_first_line_and_both_sections(self, check: Check) -> None:
        page = module_of(check).__doc__ or ""
        first, blank, rest = (*page.split("\n", 2), "", "")[:3]

        assert re.fullmatch(r"[A-Z`].+\.", first)
        assert blank == ""
        assert re.findall(r"^## (.+)$", rest, re.MULTILINE) == ["What it sees", "When it is fine"]
        assert all(section.strip() for section in re.split(r"^## .+$", rest, flags=re.MULTILINE)[1:])

    def test_it_imports_nothing_that_could_act(self, check: Check) -> None:
        """Pure by construction: no torch, no clock, no disk, no network."""
        for node in ast.walk(ast.parse(source_of(check).read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.partition(".")[0] in MAY_IMPORT_OF_STDLIB or name.startswith(MAY_IMPORT), name

    def test_it_holds_no_state(self, check: Check) -> None:
        tree = ast.parse(source_of(check).read_text())

        assert not [node for node in ast.walk(tree) if isinstance(node, ast.Global | ast.Nonlocal | ast.Try | ast.With)]

    def test_every_limit_has_its_reason_below_it(self, check: Check) -> None:
        if isinstance(check.limits, NoLimits):
            return
        tree = ast.parse(source_of(check).read_text())
        (limits,) = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Limits"]

        for field, reason in zip(limits.body[::2], limits.body[1::2], strict=True):
            assert isinstance(field, ast.AnnAssign)
            assert field.value is not None
            assert isinstance(reason, ast.Expr)
            assert isinstance(reason.value, ast.Constant)
            assert str(reason.value.value).endswith(".")


@every_check
class TestWords:
    def test_sentences_are_left_open(self, check: Check) -> None:
        """They are printed behind a label; a full stop would look like the end."""
        assert not [words for words in own_words(check) if words.endswith(".")]

    def test_the_summary_goes_on_after_the_name(self, check: Check) -> None:
        assert re.match(r"[a-z`]|NaN", check.summary)
        assert len(check.summary) <= 100

    def test_messages_neither_beg_nor_blame_nor_shout(self, check: Check) -> None:
        """In the card and in every string of the file."""
        tree = ast.parse(source_of(check).read_text())
        strings = [str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)]

        for words in [*own_words(check), *strings]:
            assert not re.search(r"\bplease\b|\bsorry\b|\boops\b|\byou(r|rs)?\b|!(?!=)", words, re.IGNORECASE), words

    def test_names_in_backticks_are_closed(self, check: Check) -> None:
        assert not [words for words in own_words(check) if words.count("`") % 2]


@every_check
class TestExamples:
    def test_both_are_there_and_short(self, check: Check) -> None:
        if check.name in WITHOUT_EXAMPLES:
            return
        for name in ("fails.py", "healthy.py"):
            lines = (EXAMPLES / check.name / name).read_text().splitlines()
            least = 5 if check.needs in READ_FROM_SOURCE else 15
            assert least <= len(lines) <= MOST_EXAMPLE_LINES

    def test_they_are_plain_programs_that_give_nothing_away(self, check: Check) -> None:
        """A docstring that says what the program does, torch, generated data, a seed, no comment.

        Only a declared experiment names firstlight, and a run that tells the guard what it measured.
        """
        if check.name in WITHOUT_EXAMPLES:
            return
        for name in ("fails.py", "healthy.py"):
            text = (EXAMPLES / check.name / name).read_text()
            assert re.match(r'"""[^\n]+\."""\n', text)
            assert "torch.manual_seed(" in text
            assert "#" not in text
            assert ("firstlight" in text) is (check.needs in DECLARED or check.needs in TOLD)

    def test_the_twins_differ(self, check: Check) -> None:
        if check.name in WITHOUT_EXAMPLES:
            return
        fails, healthy = ((EXAMPLES / check.name / name).read_text() for name in ("fails.py", "healthy.py"))

        assert fails != healthy
