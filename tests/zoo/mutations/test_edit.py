"""Edits keep every other line, comments included, and refuse what cannot be written on the same lines."""

import ast

from tests.zoo.mutations.conftest import source_of
from zoo.mutations import edit
from zoo.mutations.source import Source, inside


def first(source: Source, kind: type[ast.stmt]) -> ast.stmt:
    return next(iter(source.walk(kind)))


def test_a_removed_statement_leaves_pass_and_its_comment() -> None:
    source = source_of(train="if x:\n    y.step()  # move\nz = 1\n")
    texts = edit.applied(edit.remove(source, first(source, ast.Expr)))
    assert texts == {"train.py": "if x:\n    pass  # move\nz = 1\n"}


def test_a_removed_statement_of_three_lines_leaves_three_lines() -> None:
    source = source_of(train="f(\n    1,\n)\nz = 1\n")
    texts = edit.applied(edit.remove(source, first(source, ast.Expr)))
    assert texts["train.py"].split("\n") == ["pass", "", "", "z = 1", ""]


def test_a_shorter_expression_is_padded_within_parentheses() -> None:
    source = source_of(train="z = f(\n    1,\n)[0]\n")
    call = next(source.walk(ast.Call))
    assert edit.applied(edit.replace(source, call, "g"))["train.py"] == "z = (g\n\n)[0]\n"


def test_what_is_not_atomic_is_wrapped_in_parentheses() -> None:
    source = source_of(train="z = a + b\n")
    assert edit.applied(edit.wrap(source, next(source.walk(ast.BinOp)), "-{}"))["train.py"] == "z = -(a + b)\n"


def test_columns_count_characters_not_bytes() -> None:
    source = source_of(train="z = 'größe', b\n")
    name = next(node for node in source.walk(ast.Name) if node.id == "b")
    assert edit.applied(edit.replace(source, name, "c"))["train.py"] == "z = 'größe', c\n"


def test_modules_are_written_as_the_file_imports_them() -> None:
    source = source_of(train="import torch.nn.functional as F\nz = y\n")
    name = next(node for node in source.walk(ast.Name) if node.id == "y")
    texts = edit.applied(edit.wrap(source, name, "torch.nn.functional.relu({})"))
    assert texts["train.py"] == "import torch.nn.functional as F\nz = F.relu(y)\n"


def test_a_module_the_file_does_not_import_is_refused() -> None:
    source = source_of(train="import math\nz = y\n")
    name = next(node for node in source.walk(ast.Name) if node.id == "y")
    assert edit.wrap(source, name, "torch.relu({})") == []


def test_a_module_of_python_itself_is_imported_on_the_line_of_the_first_import() -> None:
    source = source_of(train="import torch\nz = y\n")
    name = next(node for node in source.walk(ast.Name) if node.id == "y")
    texts = edit.applied(edit.wrap(source, name, "copy.deepcopy({})"))
    assert texts["train.py"] == "import torch; import copy\nz = copy.deepcopy(y)\n"


def test_a_statement_before_a_loop_goes_behind_the_one_above_it() -> None:
    source = source_of(train="a = 1  # one\nfor i in x:\n    f(i)\n")
    assert edit.applied(edit.before(source, first(source, ast.For), "b = 2"))["train.py"].startswith(
        "a = 1; b = 2  # one\n"
    )


def test_nothing_is_written_before_a_loop_that_comes_first() -> None:
    source = source_of(train="for i in x:\n    f(i)\n")
    assert edit.before(source, first(source, ast.For), "b = 2") == []


def test_nothing_is_written_behind_a_compound_statement() -> None:
    source = source_of(train="for i in x:\n    f(i)\n")
    assert edit.after(source, first(source, ast.For), "b = 2") == []


def test_a_statement_at_the_start_of_a_function_goes_behind_its_docstring() -> None:
    source = source_of(train='def f(x):\n    """Say."""\n    return x\n')
    function = next(source.walk(ast.FunctionDef))
    assert '"""Say."""; x = 1\n' in edit.applied(edit.at_start(source, function.body, "x = 1"))["train.py"]


def test_edits_that_overlap_change_nothing() -> None:
    source = source_of(train="z = f(a)\n")
    call = next(source.walk(ast.Call))
    inner = next(node for node in inside(call, ast.Name) if node.id == "a")
    assert edit.applied(edit.replace(source, call, "g(b)") + edit.replace(source, inner, "c")) == {}


def test_what_is_no_program_or_no_change_is_nothing() -> None:
    source = source_of(train="z = f(a)\n")
    call = next(source.walk(ast.Call))
    assert edit.applied(edit.replace(source, call, "f(")) == {}
    assert edit.applied(edit.replace(source, call, "f(a)")) == {}
