// The names of the curves: each shows or hides its curve, and tells its value under the cursor.

import { element } from "./dom.js";
import { shown } from "./scale.js";

export class Legend {
  constructor(series, onToggle) {
    this.values = new Map();
    this.node = element("ul", { class: "legend" });
    for (const one of series) this.node.append(element("li", {}, this.button(one, onToggle)));
  }

  button(one, onToggle) {
    const value = element("span", { class: "value" });
    this.values.set(one.name, value);
    const button = element("button", { type: "button", class: `key s${one.tone}`, "aria-pressed": String(!one.hidden) },
      element("span", { class: one.dashed ? "swatch dashed" : "swatch", "aria-hidden": "true" }),
      element("span", { class: "name" }, one.name), value);
    button.addEventListener("click", (event) => {
      onToggle(one.name, event.shiftKey);
    });
    return button;
  }

  refresh(series) {
    const buttons = this.node.querySelectorAll("button");
    series.forEach((one, index) => buttons[index].setAttribute("aria-pressed", String(!one.hidden)));
  }

  tell(read) {
    for (const [name, node] of this.values) node.textContent = read.has(name) ? shown(read.get(name)) : "";
  }
}
