// Rows (layers, bins) by columns (steps), a colour for each value: hover or arrow keys to read a cell.

import { drawn, element, tableBehind } from "./dom.js";
import { numberOf, shown } from "./scale.js";

// Viridis: even to the eye, the same in grey, and readable on light and dark ground.
const STOPS = [[68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121],
  [110, 206, 88], [181, 222, 43], [253, 231, 37]];
const BROKEN = "rgb(224, 49, 49)";
const AXIS = 22;
const LEAST_LABEL = 11;
const MAP_KEYS = "Arrow keys move from cell to cell.";

export class HeatMap {
  // spec: {title, unit, axis, rows, columns, values, log, reach}
  constructor(host, spec) {
    this.spec = { ...spec, values: spec.values.map((row) => row.map(numberOf)) };
    this.cell = null;
    this.reach = reachOf(this.spec);
    this.build(host);
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  build(host) {
    const { title, rows, columns } = this.spec;
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.svg = drawn("svg", { "aria-hidden": "true", focusable: "false" });
    this.plot = element("div", {
      class: "plot map", tabindex: 0, role: "application",
      "aria-label": `${title}: ${rows.length} rows by ${columns.length} columns. ${MAP_KEYS}`,
    }, this.canvas, this.svg);
    this.height = Math.min(20, Math.max(5, 420 / Math.max(1, rows.length)));
    this.plot.style.height = `${this.height * rows.length + AXIS}px`;
    this.told = element("p", { class: "cell-read", "aria-live": "polite" }, "\u00a0");
    host.append(this.key(), this.plot, this.told, tableBehind(title, () => this.table()));
    this.plot.addEventListener("pointermove", (event) => this.hover(event));
    this.plot.addEventListener("pointerleave", () => this.choose(null));
    this.plot.addEventListener("keydown", (event) => this.walk(event));
  }

  key() {
    const [low, high] = this.reach;
    const ramp = drawn("svg", { class: "ramp", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" });
    for (let place = 0; place < 50; place += 1) {
      ramp.append(drawn("rect", { x: place * 2, y: 0, width: 2.2, height: 8, fill: colour(place / 49) }));
    }
    return element("p", { class: "ramp-key" }, shown(low), ramp, shown(high), this.spec.unit ? ` ${this.spec.unit}` : "",
      this.spec.log ? " (log scale)" : "");
  }

  draw() {
    const width = this.plot.clientWidth;
    if (!width) return;
    const { rows, columns, values } = this.spec;
    this.left = this.height >= LEAST_LABEL ? Math.min(width * 0.36, 10 + 7 * Math.max(...rows.map((row) => row.length))) : 8;
    this.wide = (width - this.left) / Math.max(1, columns.length);
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = width * ratio;
    this.canvas.height = this.height * rows.length * ratio;
    this.canvas.style.height = `${this.height * rows.length}px`;
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    values.forEach((row, y) => row.forEach((value, x) => {
      if (value === null) return;
      pen.fillStyle = this.shade(value);
      pen.fillRect(this.left + x * this.wide, y * this.height, Math.ceil(this.wide) + 0.5, this.height - (this.height > 8 ? 1 : 0));
    }));
    this.label(width);
  }

  shade(value) {
    if (!Number.isFinite(value)) return BROKEN;
    return colour(share(value, this.reach, this.spec.log));
  }

  label(width) {
    const { rows, columns } = this.spec;
    const bottom = this.height * rows.length;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${bottom + AXIS}`);
    const letters = Math.floor((this.left - 10) / 7);
    const names = this.height < LEAST_LABEL ? [] : rows.map((row, y) => drawn("text", {
      x: this.left - 8, y: (y + 0.5) * this.height + 4, "text-anchor": "end",
    }, row.length > letters ? `…${row.slice(1 - letters)}` : row, drawn("title", {}, row)));
    const every = Math.max(1, Math.ceil(columns.length / Math.max(2, Math.floor((width - this.left) / 70))));
    const steps = columns.filter((_, x) => x % every === 0).map((step, n) => drawn("text", {
      x: this.left + (n * every + 0.5) * this.wide, y: bottom + 16, "text-anchor": "middle",
    }, shown(step)));
    this.frame = drawn("rect", { class: "cell", width: Math.max(2, this.wide), height: this.height, visibility: "hidden" });
    this.svg.replaceChildren(...names, ...steps, this.frame);
    this.choose(this.cell);
  }

  hover(event) {
    const x = Math.floor((event.offsetX - this.left) / this.wide);
    const y = Math.floor(event.offsetY / this.height);
    this.choose(this.spec.values[y]?.[x] === undefined ? null : [x, y]);
  }

  walk(event) {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const [x, y] = this.cell ?? [-move[0], -move[1]];
    const next = [Math.max(0, x + move[0]), Math.max(0, y + move[1])];
    if (this.spec.values[next[1]]?.[next[0]] !== undefined) this.choose(next);
  }

  choose(cell) {
    this.cell = cell;
    this.frame?.setAttribute("visibility", cell ? "visible" : "hidden");
    if (!cell) {
      this.told.textContent = "\u00a0";
      return;
    }
    const [x, y] = cell;
    const { rows, columns, values, unit } = this.spec;
    this.frame?.setAttribute("x", this.left + x * this.wide);
    this.frame?.setAttribute("y", y * this.height);
    this.told.textContent = `${rows[y]} · ${this.spec.axis ?? "step"} ${shown(columns[x])} · ${shown(values[y][x])}${unit ? ` ${unit}` : ""}`;
  }

  table() {
    const { rows, columns, values } = this.spec;
    return [["row", ...columns.map(shown)], ...rows.map((row, y) => [row, ...values[y].map(shown)])];
  }
}

function reachOf({ values, log, reach }) {
  if (reach) return reach;
  const known = values.flat().filter((value) => value !== null && Number.isFinite(value) && (!log || value > 0));
  if (!known.length) return log ? [0.1, 1] : [0, 1];
  return [known.reduce((one, other) => Math.min(one, other)), known.reduce((one, other) => Math.max(one, other))];
}

function share(value, [low, high], log) {
  if (log) return value <= 0 ? 0 : (Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low) || 1);
  return (value - low) / (high - low || 1);
}

function colour(part) {
  const place = Math.min(1, Math.max(0, part)) * (STOPS.length - 1);
  const index = Math.min(STOPS.length - 2, Math.floor(place));
  const [from, to] = [STOPS[index], STOPS[index + 1]];
  return `rgb(${from.map((channel, n) => Math.round(channel + (to[n] - channel) * (place - index))).join(", ")})`;
}
