"""Pieces every section is made of."""

from firstlight.report.html.markup import Markup, prose, tag
from firstlight.report.html.plots import Plot


def section(key: str, title: str, *children: object, note: str | None = None) -> Markup:
    head = tag("header", tag("h2", title, id=f"{key}-title"), tag("p", prose(note), class_="faint") if note else None)
    return tag("section", head, *children, id=key, aria_labelledby=f"{key}-title")


def figure(key: str, plot: Plot, note: str | None = None) -> Markup:
    """A place for a plot: a script draws it, with the numbers as a table behind it; without scripts this says so."""
    caption = tag("figcaption", plot["title"], tag("span", f" {note}", class_="faint") if note else None)
    absent = tag("p", "Plots need JavaScript; the numbers are in events.ndjson.", class_="faint unscripted")
    return tag("figure", caption, absent, class_="chart", data_plot=key)


def rest(label: str, figures: list[Markup]) -> Markup | None:
    """Plots that few ask for."""
    if not figures:
        return None
    return tag("details", tag("summary", label), tag("div", figures, class_="pair"), class_="rest")


def table(head: tuple[str, ...], rows: list[list[object]], label: str) -> Markup:
    """Scrolls by itself on a narrow screen; the keyboard can reach it."""
    titles = tag("thead", tag("tr", [tag("th", title, scope="col") for title in head]))
    body = tag("tbody", [tag("tr", [tag("td", cell) for cell in row]) for row in rows])
    return tag("div", tag("table", titles, body), class_="scroll tall", tabindex="0", role="group", aria_label=label)


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def duration(seconds: float) -> str:
    if seconds < 1e-3:
        return "under 1 ms"
    return f"{1e3 * seconds:.0f} ms" if seconds < 1.0 else f"{seconds:.1f} s"
