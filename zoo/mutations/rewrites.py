"""Changes that several families share: guards, moves, uncalled calls, other arguments, further statements."""

from __future__ import annotations

import ast
from collections.abc import Callable

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.source import COMPOUND, Loop, Source, argument, last_name
from zoo.mutations.training import Loss

Change = Callable[[Source, ast.Call], list[Edit]]


def uncalled(source: Source, statement: ast.Expr) -> list[Edit]:
    """`optimizer.step` for `optimizer.step()`: the parentheses are missing."""
    call = statement.value
    return edit.replace(source, call, source.text(call.func)) if isinstance(call, ast.Call) else []


def guarded(condition: str) -> Callable[[Source, ast.stmt], list[Edit]]:
    """Run a statement only under a condition."""
    return lambda source, statement: edit.rewrite(source, statement, f"if {condition}: {source.text(statement)}")


def counted(source: Source, loop: Loop) -> tuple[str, list[Edit]]:
    """The name that counts the rounds of a loop, and what must be written so that there is one."""
    if not isinstance(loop, ast.For):
        return "", []
    counts = isinstance(loop.iter, ast.Call) and last_name(loop.iter) in {"enumerate", "range"}
    if counts:
        named = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else loop.target
        stepped = isinstance(loop.iter, ast.Call) and last_name(loop.iter) == "range" and len(loop.iter.args) > 2
        return ("" if stepped else last_name(named)), []
    target = source.text(loop.target)
    inner = f"({target})" if isinstance(loop.target, ast.Tuple) and not target.startswith("(") else target
    numbered = edit.replace(source, loop.target, f"batch_idx, {inner}")
    return "batch_idx", numbered + edit.replace(source, loop.iter, f"enumerate({source.text(loop.iter)})")


def each(source: Source, statement: ast.stmt, rounds: int) -> tuple[str, list[Edit]]:
    """The condition that is true each so many rounds of a statement's loop, and what must be written to count them."""
    loop = source.loop(statement)
    name, numbered = counted(source, loop) if loop is not None else ("", [])
    return (f"({name} + 1) % {rounds} == 0" if name else ""), numbered


def every(rounds: int) -> Callable[[Source, ast.stmt], list[Edit]]:
    """Run a statement of a loop only each so many rounds."""

    def change(source: Source, statement: ast.stmt) -> list[Edit]:
        condition, numbered = each(source, statement, rounds)
        return guarded(condition)(source, statement) + numbered if condition else []

    return change


def before_loop(source: Source, statement: ast.stmt) -> list[Edit]:
    """Move a statement out of its loop, to before it."""
    loop = source.loop(statement)
    if loop is None:
        return []
    moved = edit.before(source, loop, source.text(statement))
    return edit.remove(source, statement) + moved if moved else []


def after_loop(source: Source, statement: ast.stmt) -> list[Edit]:
    """Move a statement out of its loop, to before what follows it."""
    loop = source.loop(statement)
    block = source.siblings(loop) if loop is not None else []
    place = block.index(loop) + 1 if loop in block else len(block)
    if loop is None or place >= len(block) or isinstance(block[place], COMPOUND):
        return []
    return edit.remove(source, statement) + edit.before(source, block[place], source.text(statement))


def with_argument(text: str) -> Change:
    """Give a call one more argument, or another value for it."""

    def change(source: Source, call: ast.Call) -> list[Edit]:
        name, _, value = text.partition("=")
        old = argument(call, name)
        if old is not None:
            return edit.replace(source, old, value)
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if not given:
            return edit.replace(source, call, f"{source.text(call.func)}({text})")
        if any(keyword.arg is None for keyword in call.keywords):
            return []
        return edit.replace(source, given[-1], f"{source.text(given[-1])}, {text}")

    return change


def without_argument(name: str) -> Change:
    """Leave an argument out of a call."""

    def change(source: Source, call: ast.Call) -> list[Edit]:
        text = source.text(call)
        kept = [source.text(item) for item in call.args]
        kept += [f"{item.arg}={source.text(item.value)}" for item in call.keywords if item.arg and item.arg != name]
        missing = argument(call, name) is None or any(item.arg is None for item in call.keywords)
        return (
            []
            if missing or "\n" in text
            else edit.replace(source, call, f"{source.text(call.func)}({', '.join(kept)})")
        )

    return change


def then(template: str) -> Callable[[Source, ast.Assign], list[Edit]]:
    """Write a statement behind an assignment; `{}` is the name that was assigned."""

    def change(source: Source, statement: ast.Assign) -> list[Edit]:
        if len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Name | ast.Attribute):
            return []
        return edit.after(source, statement, template.replace("{}", source.text(statement.targets[0])))

    return change


def behind(template: str) -> Callable[[Source, ast.Expr], list[Edit]]:
    """Write a statement behind the call of a method; `{}` is the object it was called on."""

    def change(source: Source, statement: ast.Expr) -> list[Edit]:
        call = statement.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return []
        return edit.after(source, statement, template.replace("{}", source.text(call.func.value)))

    return change


def ahead(template: str) -> Callable[[Source, ast.Expr], list[Edit]]:
    """Write a statement before the call of a method; `{}` is the object it is called on."""

    def change(source: Source, statement: ast.Expr) -> list[Edit]:
        call = statement.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return []
        return edit.before(source, statement, template.replace("{}", source.text(call.func.value)))

    return change


def other_loss(template: str) -> Callable[[Source, Loss], list[Edit]]:
    """Write another loss of the same prediction, `{p}`, and target, `{t}`."""

    def change(source: Source, loss: Loss) -> list[Edit]:
        prediction, target = edit.written(source, loss.prediction), edit.written(source, loss.target)
        return edit.replace(source, loss.node, template.replace("{p}", prediction).replace("{t}", target))

    return change
