// All runs, the newest first. Choose two or more to lay them over each other.

import { element } from "./dom.js";
import { ask } from "./server.js";
import { Sieve } from "./sieve.js";
import { ago, counted, headRow, numberCells, verdictBadge } from "./words.js";

const AGAIN = 3000;
const MOST_COMPARED = 8;
const HEAD = ["", "verdict", "program", "what was found", "steps", "last loss", "took", "started"];
const NUMBERS = ["steps", "last loss", "took"];

export class RunList {
  constructor(main) {
    this.chosen = new Set();
    this.rows = new Map();
    this.sieve = new Sieve("program, cause, id", ["running", "ill", "warn", "clean", "other"]);
    this.compare = element("a", { class: "button", hidden: true }, "");
    this.body = element("tbody", {});
    this.empty = element("p", { class: "faint", hidden: true }, "No run yet. ", element("code", {}, "firstlight check train.py"), " makes one.");
    this.table = element("div", { class: "scroll runs", tabindex: 0, role: "region", "aria-label": "all runs" }, element("table", {}, headRow(HEAD, NUMBERS), this.body));
    main.replaceChildren(element("header", { class: "head" }, element("h1", {}, "Runs"), this.compare), this.sieve.node, this.table, this.empty);
    this.refresh();
    this.timer = setInterval(() => this.refresh(), AGAIN);
  }

  close() {
    clearInterval(this.timer);
  }

  async refresh() {
    const answer = await ask("/api/runs");
    if (!answer) return;
    document.getElementById("place").textContent = "";
    this.empty.hidden = answer.runs.length > 0;
    this.table.hidden = answer.runs.length === 0;
    const nodes = answer.runs.map((card) => this.row(card));
    const known = new Set(answer.runs.map((card) => card.id));
    for (const id of this.rows.keys()) if (!known.has(id)) this.rows.delete(id);
    if (nodes.some((node, place) => this.body.children[place] !== node) || this.body.children.length !== nodes.length) {
      this.body.replaceChildren(...nodes);
    }
    this.sieve.sift(answer.runs.map((card) => ({ node: this.rows.get(card.id).node, words: wordsOf(card), kind: kindOf(card) })));
  }

  // A row is made anew only when its run has changed.
  row(card) {
    const told = JSON.stringify(card);
    const old = this.rows.get(card.id);
    if (old?.told === told) return old.node;
    const link = element("a", { href: `#/run/${encodeURIComponent(card.id)}` }, card.command || card.id);
    const node = element("tr", {}, element("td", {}, this.box(card)), element("td", {}, verdictBadge(card)),
      element("td", { class: "program" }, link, element("span", { class: "mono faint id" }, card.id)),
      element("td", {}, card.cause ? element("span", { class: "cause" }, card.cause) : "", element("span", { class: "faint" }, counted(card))),
      ...numberCells(card),
      element("td", {}, ago(card.started)));
    this.rows.set(card.id, { told, node });
    return node;
  }

  box(card) {
    const box = element("input", { type: "checkbox", "aria-label": `compare ${card.id}` });
    box.checked = this.chosen.has(card.id);
    box.addEventListener("change", () => {
      if (box.checked) this.chosen.add(card.id);
      else this.chosen.delete(card.id);
      this.offer();
    });
    return box;
  }

  offer() {
    const count = this.chosen.size;
    this.compare.hidden = count < 2;
    this.compare.textContent = count > MOST_COMPARED ? `Compare the first ${MOST_COMPARED}` : `Compare ${count} runs`;
    this.compare.href = `#/compare/${[...this.chosen].slice(0, MOST_COMPARED).map(encodeURIComponent).join("/")}`;
  }
}

function kindOf(card) {
  if (card.state === "running") return "running";
  return ["ill", "warn", "clean"].includes(card.verdict) ? card.verdict : "other";
}

function wordsOf(card) {
  return [card.id, card.command, card.cause, card.verdict, card.state].join(" ").toLowerCase();
}
