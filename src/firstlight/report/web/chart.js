// Curves over steps: drag to zoom, hover or arrow keys to read, click a name to hide its curve.

import { drawn, element, tableBehind } from "./dom.js";
import { Legend } from "./legend.js";
import { numberOf, padded, scaleOf, shown, ticksOf } from "./scale.js";
import { broken, line, spots, upright } from "./strokes.js";

const MARGIN = { top: 10, right: 14, bottom: 26, left: 60 };
const LEAST_DRAG = 6;
const TONES = 8;
const CHART_KEYS = "Arrow keys move the cursor, plus and minus zoom, Escape shows everything.";
const together = new Map();

export class LineChart {
  // spec: {title, x, y, log, logx, group, height, curves: [{name, x, y, tone, dashed, hidden}], marks: [{x, text}], zoomed}
  constructor(host, spec) {
    this.spec = spec;
    this.kind = spec.log ? "log" : "linear";
    this.zoom = null;
    this.cursor = null;
    this.curves = spec.curves.map(prepared);
    this.build(host);
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  build(host) {
    const { title, x, y } = this.spec;
    const label = `${title}: ${this.curves.map((one) => one.name).join(", ")}; ${y} by ${x}. ${CHART_KEYS}`;
    this.svg = drawn("svg", { "aria-hidden": "true", focusable: "false" });
    this.plot = element("div", { class: "plot", tabindex: 0, role: "application", "aria-label": label }, this.svg);
    if (this.spec.height) this.plot.style.height = `${this.spec.height}px`;
    this.spoken = element("p", { class: "spoken", "aria-live": "polite" });
    this.at = element("span", { class: "at" });
    this.legend = new Legend(this.curves, (name, alone) => this.toggle(name, alone));
    host.append(element("div", { class: "tools" }, this.at, ...this.buttons()), this.plot, this.legend.node,
      this.spoken, tableBehind(title, () => this.rows()));
  }

  buttons() {
    this.reset = element("button", { type: "button", class: "tool", hidden: true }, "show all");
    this.reset.addEventListener("click", () => this.show(null));
    this.bend = element("button", { type: "button", class: "tool", "aria-pressed": String(this.kind === "log") }, "log");
    this.bend.hidden = !this.curves.some((one) => one.points.some(([, value]) => value > 0));
    this.bend.addEventListener("click", () => {
      this.kind = this.kind === "log" ? "linear" : "log";
      this.bend.setAttribute("aria-pressed", String(this.kind === "log"));
      this.draw();
    });
    return [this.bend, this.reset];
  }

  // New points for a run that is still going; what is hidden or zoomed stays so.
  update(curves, marks = this.spec.marks) {
    const hidden = new Set(this.curves.filter((one) => one.hidden).map((one) => one.name));
    const known = this.curves.map((one) => one.name).join("\n");
    this.spec.marks = marks;
    this.curves = curves.map(prepared);
    if (known === this.curves.map((one) => one.name).join("\n")) {
      for (const one of this.curves) one.hidden = hidden.has(one.name);
    } else {
      const fresh = new Legend(this.curves, (name, alone) => this.toggle(name, alone));
      this.legend.node.replaceWith(fresh.node);
      this.legend = fresh;
    }
    this.draw();
  }

  visible() {
    return this.curves.filter((one) => !one.hidden);
  }

  extent() {
    const xs = this.curves.flatMap((one) => (one.points.length ? [one.points[0][0], one.points.at(-1)[0]] : []));
    const low = Math.min(...xs);
    const high = Math.max(...xs);
    return xs.length ? [low, high > low ? high : low + 1] : [0, 1];
  }

  scales() {
    const { width, height } = this.size;
    const reach = this.zoom ?? this.extent();
    const x = scaleOf(this.spec.logx ? "log" : "linear", reach, [MARGIN.left, width - MARGIN.right]);
    const seen = this.visible().flatMap((one) => within(one.points, reach)).map(([, value]) => value)
      .filter((value) => Number.isFinite(value) && (this.kind === "linear" || value > 0));
    const [low, high] = seen.length ? [seen.reduce(smaller), seen.reduce(larger)] : [this.kind === "log" ? 0.1 : 0, 1];
    return { x, y: scaleOf(this.kind, padded(this.kind, low, high), [height - MARGIN.bottom, MARGIN.top]) };
  }

  draw() {
    this.size = { width: this.plot.clientWidth, height: this.plot.clientHeight };
    if (!this.size.width) return;
    const { x, y } = (this.scale = this.scales());
    const clip = `clip-${(LineChart.drawn = (LineChart.drawn ?? 0) + 1)}`;
    this.over = drawn("g", { class: "over" });
    const foot = this.size.height - MARGIN.bottom;
    const inside = drawn("g", { "clip-path": `url(#${clip})` },
      ...(this.spec.marks ?? []).map((mark, place) => upright(mark, x, foot, place)),
      ...this.visible().flatMap((one) => [line(one, x, y, this.kind), ...broken(one, x)]));
    const points = this.visible().flatMap((one) => spots(one, x, y, this.kind));
    const frame = { x: MARGIN.left, y: 0, width: Math.max(0, this.size.width - MARGIN.left - MARGIN.right),
      height: foot };
    this.svg.setAttribute("viewBox", `0 0 ${this.size.width} ${this.size.height}`);
    this.svg.replaceChildren(drawn("clipPath", { id: clip }, drawn("rect", frame)), this.grid(x, y), inside, ...points, this.over);
    this.reset.hidden = this.zoom === null;
    if (this.cursor !== null) this.point(this.cursor);
  }

  grid(x, y) {
    const { width, height } = this.size;
    const group = drawn("g", { class: "grid" });
    for (const tick of ticksOf(y, Math.max(2, Math.floor(height / 34)))) {
      group.append(drawn("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y.at(tick), y2: y.at(tick) }),
        drawn("text", { x: MARGIN.left - 8, y: y.at(tick) + 4, "text-anchor": "end" }, shown(tick)));
    }
    const whole = this.curves.every((one) => one.points.every(([at]) => Number.isInteger(at)));
    for (const tick of ticksOf(x, Math.max(2, Math.floor(width / 90)))) {
      if (whole && !Number.isInteger(tick)) continue;
      group.append(drawn("text", { x: x.at(tick), y: height - 8, "text-anchor": "middle" }, shown(tick)));
    }
    return group;
  }

  listen() {
    const { plot } = this;
    plot.addEventListener("pointerdown", (event) => this.press(event));
    plot.addEventListener("pointermove", (event) => this.move(event));
    plot.addEventListener("pointerup", (event) => this.release(event));
    plot.addEventListener("pointercancel", () => this.abandon());
    plot.addEventListener("pointerleave", () => this.share(null));
    plot.addEventListener("dblclick", () => this.show(null));
    plot.addEventListener("keydown", (event) => this.key(event));
    const { group } = this.spec;
    if (group) together.set(group, [...(together.get(group) ?? []), this]);
  }

  share(x) {
    for (const chart of together.get(this.spec.group) ?? [this]) chart.point(x);
  }

  press(event) {
    if (event.button !== 0 || !this.scale) return;
    this.drag = event.offsetX;
    this.plot.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.scale) return;
    this.share(this.scale.x.value(event.offsetX));
    if (this.drag === undefined || this.drag === null) return;
    const [from, to] = [this.drag, event.offsetX].sort((one, other) => one - other);
    this.over.append(drawn("rect", { class: "chosen", x: from, y: 0, width: to - from, height: this.size.height - MARGIN.bottom }));
  }

  release(event) {
    const from = this.drag;
    this.drag = null;
    if (from === null || from === undefined || Math.abs(event.offsetX - from) < LEAST_DRAG) return;
    const ends = [from, event.offsetX].map((pixel) => this.scale.x.value(pixel)).sort((one, other) => one - other);
    this.show(ends);
  }

  abandon() {
    this.drag = null;
    this.point(null);
  }

  show(reach) {
    const [low, high] = this.extent();
    this.zoom = reach && [Math.max(low, reach[0]), Math.min(high, reach[1])];
    if (this.zoom && this.zoom[1] - this.zoom[0] <= 0) this.zoom = null;
    this.draw();
    this.spec.zoomed?.(this.zoom);
  }

  key(event) {
    const [low, high] = this.zoom ?? this.extent();
    const middle = this.cursor ?? (low + high) / 2;
    const span = high - low;
    const known = {
      ArrowLeft: () => this.walk(-1), ArrowRight: () => this.walk(1),
      "+": () => this.show([middle - span / 4, middle + span / 4]),
      "-": () => this.show([middle - span, middle + span]), Escape: () => this.show(null),
    };
    const act = known[event.key === "=" ? "+" : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  walk(direction) {
    const xs = [...new Set(this.visible().flatMap((one) => one.points.map(([x]) => x)))].sort((one, other) => one - other);
    if (!xs.length) return;
    const next = this.cursor === null ? -1 : xs.findIndex((x) => x >= this.cursor);
    const index = Math.min(xs.length - 1, Math.max(0, (next < 0 ? (this.cursor === null ? 0 : xs.length) : next) + (this.cursor === null ? 0 : direction)));
    this.share(xs[index]);
    const told = [...this.read].map(([name, value]) => `${name} ${shown(value)}`).join(", ");
    this.spoken.textContent = `${this.spec.x} ${shown(this.cursor)}: ${told}`;
  }

  point(x) {
    this.cursor = x;
    this.over?.replaceChildren();
    if (x === null || !this.scale) {
      this.at.textContent = "";
      this.legend.tell(new Map());
      return;
    }
    const nearest = this.visible().map((one) => [one, closest(one.points, x)]).filter(([, point]) => point);
    this.read = new Map(nearest.map(([one, [, value]]) => [one.name, value]));
    if (!nearest.length) return;
    const snapped = nearest.map(([, [at]]) => at).reduce((one, other) => (Math.abs(other - x) < Math.abs(one - x) ? other : one));
    this.cursor = snapped;
    this.at.textContent = `${this.spec.x} ${shown(snapped)}`;
    this.legend.tell(this.read);
    this.follow(snapped, nearest);
  }

  follow(snapped, nearest) {
    const { x, y } = this.scale;
    const [low, high] = x.domain;
    if (snapped < low || snapped > high) return;
    this.over.append(drawn("line", { class: "hair", x1: x.at(snapped), x2: x.at(snapped), y1: MARGIN.top, y2: this.size.height - MARGIN.bottom }));
    for (const [one, [at, value]] of nearest) {
      if (at === snapped && Number.isFinite(value) && (this.kind === "linear" || value > 0)) {
        this.over.append(drawn("circle", { class: `dot s${one.tone}`, cx: x.at(at), cy: y.at(value), r: 4 }));
      }
    }
  }

  // A shift-click leaves one curve alone, or brings all back.
  toggle(name, alone) {
    const only = alone && this.visible().some((one) => one.name !== name);
    for (const one of this.curves) {
      if (alone) one.hidden = only && one.name !== name;
      else if (one.name === name) one.hidden = !one.hidden;
    }
    this.legend.refresh(this.curves);
    this.draw();
  }

  rows() {
    const xs = [...new Set(this.curves.flatMap((one) => one.points.map(([x]) => x)))].sort((one, other) => one - other);
    const found = this.curves.map((one) => new Map(one.points));
    return [[this.spec.x, ...this.curves.map((one) => one.name)],
      ...xs.map((x) => [shown(x), ...found.map((values) => (values.has(x) ? shown(values.get(x)) : ""))])];
  }
}

function prepared(curve, index) {
  const points = curve.x.map((x, place) => [x, numberOf(curve.y[place])]).filter(([, value]) => value !== null);
  return { name: curve.name, tone: curve.tone ?? index % TONES, dashed: curve.dashed, hidden: Boolean(curve.hidden), points };
}

function smaller(one, other) {
  return other < one ? other : one;
}

function larger(one, other) {
  return other > one ? other : one;
}

function within(points, [low, high]) {
  return points.filter(([x]) => x >= low && x <= high);
}

function closest(points, x) {
  let [low, high] = [0, points.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] < x) low = middle;
    else high = middle;
  }
  if (!points.length) return null;
  return Math.abs(points[high][0] - x) < Math.abs(points[low][0] - x) ? points[high] : points[low];
}
