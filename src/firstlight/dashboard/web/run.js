// One run: how it stands, what was found, what it measured, what it left behind. Live while it goes.

import { Curves } from "./curves.js";
import { drawn, element } from "./dom.js";
import { Findings } from "./findings.js";
import { HeatMap } from "./heatmap.js";
import { ask, listen, pathOf } from "./server.js";
import { duration, grouped, size, value, verdictBadge } from "./words.js";

const HEADLINES = { ill: "Do not start this run", warn: "Look before you start", clean: "Nothing found", unjudged: "Could not judge" };

const OF_A_RUN = { ill: "Red flags were raised", warn: "Look at this run", clean: "No red flag" };

export class RunView {
  constructor(main, id) {
    this.id = id;
    this.findings = new Findings();
    this.curves = new Curves(async (low, high) => (await ask(`${pathOf(id, "curves")}?from=${low}&to=${high}`))?.plots);
    this.build(main);
    this.load();
    this.stop = listen(pathOf(id, "live"), (picture) => this.take(picture));
  }

  close() {
    this.stop();
  }

  build(main) {
    this.badge = element("span", {});
    this.title = element("h1", {}, this.id);
    this.figures = element("dl", { class: "figures" });
    this.reading = element("progress", { max: 1, value: 0, hidden: true, "aria-label": "log read so far" });
    this.link = element("a", { class: "button", hidden: true, target: "_blank", rel: "noopener" }, "Full report");
    this.fault = element("p", { class: "card fault", hidden: true });
    this.suspects = element("section", { id: "causes", hidden: true });
    this.layers = element("details", { class: "rest" }, element("summary", {}, "Layers over steps"));
    this.layers.addEventListener("toggle", () => this.layers.open && this.showLayers());
    this.files = element("ul", { class: "files" });
    this.header = element("header", { class: "verdict" }, element("p", { class: "line-up" }, this.badge, element("span", { class: "mono faint" }, this.id)), this.title, this.figures, this.reading, this.link);
    main.replaceChildren(this.header, this.fault, section("findings", "Findings", this.findings.node), this.suspects,
      section("curves", "Curves", this.curves.node, this.layers), section("files", "Files", this.files));
  }

  async load() {
    const answer = await ask(pathOf(this.id));
    if (!answer) {
      this.title.textContent = "No such run";
      return;
    }
    this.report = answer.report;
    this.link.hidden = !answer.report;
    this.link.href = `/runs/${encodeURIComponent(this.id)}/report`;
    this.findings.show(this.report, this.sightings ?? []);
    this.showCauses();
    this.files.replaceChildren(...answer.files.map((file) => this.file(file)));
    this.head(answer.card);
  }

  take(picture) {
    const { card } = picture;
    this.sightings = picture.sightings;
    this.head(card, picture);
    this.curves.show(picture.plots);
    this.findings.show(this.report, this.sightings);
    this.reading.hidden = picture.read >= 1;
    this.reading.value = picture.read;
    this.fault.hidden = !picture.fault;
    this.fault.textContent = picture.fault ?? "";
    if (card && card.state !== "running" && (!this.report || this.state === "running")) this.load();
    this.state = card?.state;
  }

  head(card, picture = null) {
    if (!card) return;
    document.getElementById("place").textContent = card.command;
    document.title = `${card.verdict ?? card.state}: ${card.command}`;
    this.header.className = `verdict ${card.state === "running" ? "live" : card.verdict ?? ""}`;
    this.badge.replaceChildren(verdictBadge(card));
    const headlines = this.report?.subject.kind === "run" ? { ...HEADLINES, ...OF_A_RUN } : HEADLINES;
    this.title.textContent = card.state === "running" ? "Running" : headlines[card.verdict] ?? "Ended without a verdict";
    const told = [[grouped(card.steps), "steps"], [card.loss === null ? null : value(card.loss), "last loss"], [lastOf(picture, "lr"), "learning rate"],
      [lastOf(picture, "grad_norm"), "gradient norm"], [paceOf(picture), "steps per second"], [card.seconds ? duration(card.seconds) : null, "took"]];
    const known = told.filter(([text]) => text !== null);
    if (picture || !this.figures.children.length) {
      this.figures.replaceChildren(...known.map(([text, label]) => element("div", {}, element("dt", {}, label), element("dd", {}, text))));
    }
  }

  showCauses() {
    const causes = (this.report?.diagnosis ?? []).slice(0, 4);
    this.suspects.hidden = causes.length === 0;
    this.suspects.replaceChildren(element("header", {}, element("h2", {}, "Likely causes")), element("ul", { class: "causes" }, ...causes.map(cause)));
  }

  async showLayers() {
    const answer = await ask(pathOf(this.id, "layers"));
    this.layers.querySelector(".layered")?.remove();
    const plots = Object.values(answer?.plots ?? {});
    const host = element("div", { class: "layered" }, plots.length ? null : element("p", { class: "faint" }, "Nothing was measured layer by layer."));
    this.layers.append(host);
    for (const plot of plots) {
      const figure = element("figure", { class: "chart" }, element("figcaption", {}, plot.title));
      host.append(figure);
      new HeatMap(figure, plot);
    }
  }

  file(file) {
    const href = `/runs/${encodeURIComponent(this.id)}/files/${file.path.split("/").map(encodeURIComponent).join("/")}`;
    return element("li", {}, element("a", { href, class: "mono", target: "_blank", rel: "noopener" }, file.path), element("span", { class: "faint" }, size(file.bytes)));
  }
}

function section(id, title, ...children) {
  return element("section", { id }, element("header", {}, element("h2", {}, title)), ...children);
}

function cause(one) {
  const percent = `${Math.round(100 * one.probability)} %`;
  const share = drawn("svg", { class: "share", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("rect", { width: 100 * one.probability, height: 1 }));
  return element("li", {}, element("span", { class: "percent" }, percent), element("div", {}, element("strong", {}, one.cause),
    one.verified ? " proven" : "", share, element("span", { class: "faint" }, one.fix ?? one.because.join(", "))));
}

function lastOf(picture, key) {
  const last = picture?.plots[key]?.curves[0]?.y.at(-1);
  return last === undefined ? null : value(last);
}

function paceOf(picture) {
  const times = (picture?.plots.step_s?.curves[0]?.y ?? []).slice(-20).filter((one) => one > 0);
  return times.length ? value(times.length / times.reduce((one, other) => one + other, 0)) : null;
}
