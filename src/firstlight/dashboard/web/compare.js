// Several runs over each other, measure by measure, with what tells them apart in a table.

import { Curves } from "./curves.js";
import { element } from "./dom.js";
import { ask } from "./server.js";
import { counted, headRow, numberCells, verdictBadge } from "./words.js";

const AGAIN = 2000;
const SOON = 300;
const HEAD = ["", "run", "verdict", "what was found", "steps", "last loss", "took"];
const NUMBERS = ["steps", "last loss", "took"];

export class Comparison {
  constructor(main, ids) {
    this.query = ids.map((id) => `run=${encodeURIComponent(id)}`).join("&");
    this.curves = new Curves();
    this.table = element("tbody", {});
    const table = element("table", {}, headRow(HEAD, NUMBERS), this.table);
    this.reading = element("progress", { max: 1, value: 0, hidden: true, "aria-label": "logs read so far" });
    main.replaceChildren(element("header", { class: "head" }, element("h1", {}, `${ids.length} runs`), this.reading),
      element("div", { class: "scroll runs", tabindex: 0, role: "region", "aria-label": "runs compared" }, table), element("section", { id: "curves" }, this.curves.node));
    document.getElementById("place").textContent = "comparison";
    this.refresh();
  }

  close() {
    clearTimeout(this.timer);
    this.closed = true;
  }

  async refresh() {
    const answer = await ask(`/api/compare?${this.query}`);
    if (this.closed) return;
    if (answer) {
      this.curves.show(answer.plots);
      this.reading.hidden = answer.read >= 1;
      this.reading.value = answer.read;
      this.table.replaceChildren(...answer.cards.map(row));
    }
    const going = answer?.cards.some((card) => card.state === "running");
    if (!answer || going || answer.read < 1) this.timer = setTimeout(() => this.refresh(), answer?.read < 1 ? SOON : AGAIN);
  }
}

function row(card, place) {
  const link = element("a", { href: `#/run/${encodeURIComponent(card.id)}` }, card.command || card.id);
  return element("tr", {}, element("td", { class: `s${place}` }, element("span", { class: "swatch block", "aria-hidden": "true" })),
    element("td", { class: "program" }, link, element("span", { class: "mono faint id" }, card.id)), element("td", {}, verdictBadge(card)),
    element("td", {}, [card.cause, counted(card)].filter(Boolean).join(": ")),
    ...numberCells(card));
}
