// The plots of one or several runs, kept up to date. A stretch that is zoomed into is asked for as it was logged.

import { LineChart } from "./chart.js";
import { element } from "./dom.js";

const MAIN = ["loss", "grad_norm", "lr"];
const PATIENCE = 150;

export class Curves {
  // detail(low, high) gives the plots of a stretch of steps, or null.
  constructor(detail = null) {
    this.detail = detail;
    this.charts = new Map();
    this.main = element("div", { class: "pair first-wide" });
    this.more = element("div", { class: "pair" });
    this.rest = element("details", { class: "rest", hidden: true }, element("summary", {}, "More curves"), this.more);
    this.copies = element("div", { class: "copies" });
    this.node = element("div", {}, this.main, this.copies, this.rest);
  }

  show(plots) {
    for (const [key, plot] of Object.entries(plots)) {
      const known = this.charts.get(key);
      if (known) known.take(plot);
      else this.add(key, plot);
    }
    this.rest.hidden = this.more.children.length === 0;
  }

  add(key, plot) {
    const figure = element("figure", { class: "chart" }, element("figcaption", {}, plot.title));
    const home = key === "copies" ? this.copies : MAIN.includes(key) ? this.main : this.more;
    home.append(figure);
    this.charts.set(key, new Zoomable(figure, key, plot, key === "copies" ? null : this.detail));
  }
}

class Zoomable {
  constructor(figure, key, plot, detail) {
    this.key = key;
    this.plot = plot;
    this.detail = detail;
    this.chart = new LineChart(figure, { ...plot, zoomed: (reach) => this.zoomed(reach) });
  }

  // While somebody looks at a stretch, what is new elsewhere waits.
  take(plot) {
    this.plot = plot;
    if (!this.chart.zoom) this.chart.update(plot.curves, plot.marks);
  }

  zoomed(reach) {
    clearTimeout(this.waiting);
    if (reach === null) {
      this.chart.update(this.plot.curves, this.plot.marks);
    } else if (this.detail) {
      this.waiting = setTimeout(() => this.refine(reach), PATIENCE);
    }
  }

  async refine([low, high]) {
    const plots = await this.detail(low, high);
    const fine = plots?.[this.key];
    if (!fine || this.chart.zoom?.[0] !== low || this.chart.zoom?.[1] !== high) return;
    this.chart.update(this.plot.curves.map((curve) => joined(curve, fine.curves.find((one) => one.name === curve.name), low, high)));
  }
}

// Fine within the stretch, and outside it as before, so that one can zoom out again.
function joined(curve, fine, low, high) {
  if (!fine) return curve;
  const before = curve.x.findIndex((x) => x >= low);
  const after = curve.x.findIndex((x) => x > high);
  const start = before < 0 ? curve.x.length : before;
  const end = after < 0 ? curve.x.length : after;
  return { ...curve, x: [...curve.x.slice(0, start), ...fine.x, ...curve.x.slice(end)], y: [...curve.y.slice(0, start), ...fine.y, ...curve.y.slice(end)] };
}
