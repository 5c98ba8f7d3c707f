// A search box and chips above a list: what does not fit is hidden.

import { element } from "./dom.js";

export class Sieve {
  // kinds: names of chips; items are given to `sift` as [{node, words, kind}].
  constructor(label, kinds, changed = () => {}) {
    this.items = [];
    this.changed = changed;
    this.box = element("input", { type: "search", placeholder: label, "aria-label": label, autocomplete: "off" });
    this.count = element("output", { class: "faint", "aria-live": "polite" });
    this.chips = new Map(kinds.map((kind) => [kind, this.chip(kind)]));
    this.node = element("div", { class: "filter" }, this.box, ...this.chips.values(), this.count);
    this.box.addEventListener("input", () => this.apply());
  }

  chip(kind) {
    const button = element("button", { type: "button", class: "chip", "aria-pressed": "true" }, kind);
    button.addEventListener("click", () => {
      button.ariaPressed = String(button.ariaPressed !== "true");
      this.apply();
    });
    return button;
  }

  sift(items) {
    this.items = items;
    this.apply();
  }

  apply() {
    const words = this.box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { node, words: text, kind } of this.items) {
      const wanted = this.chips.get(kind)?.ariaPressed !== "false";
      node.hidden = !wanted || !words.every((word) => text.includes(word));
      shown += node.hidden ? 0 : 1;
    }
    this.count.textContent = this.items.length ? `${shown} of ${this.items.length}` : "";
    this.changed();
  }
}
