// What was found, as cards that can be sifted: from the report, or, while there is none, from the log.

import { element } from "./dom.js";
import { Sieve } from "./sieve.js";
import { prose } from "./words.js";

const SEVERITIES = ["error", "warning", "note"];

export class Findings {
  constructor() {
    this.sieve = new Sieve("name, file, words", SEVERITIES);
    this.list = element("div", {});
    this.none = element("p", { class: "faint" }, "Nothing found so far.");
    this.node = element("div", {}, this.sieve.node, this.list, this.none);
  }

  show(report, sightings) {
    const told = report ? report.findings.map(ofReport) : sightings.filter((one) => one.phase !== "run_end").map(ofLog);
    const key = JSON.stringify(told);
    if (key === this.key) return;
    this.key = key;
    const items = told.map((one) => ({ node: card(one), words: Object.values(one).join(" ").toLowerCase(), kind: one.severity }));
    this.list.replaceChildren(...items.map((item) => item.node));
    this.sieve.node.hidden = items.length < 3;
    this.none.hidden = items.length > 0;
    this.sieve.sift(items);
  }
}

function ofReport(finding) {
  const { where } = finding;
  const place = [where.file && `${where.file}:${where.line}`, where.module, where.step !== null && `step ${where.step}`];
  return {
    severity: finding.severity, id: finding.id, name: finding.name, title: finding.summary, place: place.filter(Boolean).join(" · "),
    saw: finding.saw, wanted: finding.wanted, likely: finding.likely, do: finding.do, proven: finding.verified,
  };
}

function ofLog(line) {
  const place = [line.file && `${line.file}:${line.line}`, line.step !== null && `step ${line.step}`].filter(Boolean).join(" · ");
  const severity = SEVERITIES.includes(line.severity) ? line.severity : { critical: "error", fatal: "error" }[line.severity] ?? "warning";
  return { severity, id: line.id, name: line.phase.replaceAll("_", " "), title: line.text, place, do: line.do };
}

function card(one) {
  const marks = element("p", { class: "marks" }, element("span", { class: `badge ${one.severity}` }, one.severity),
    one.proven ? element("span", { class: "badge proven" }, "proven") : null, element("span", { class: "mono faint" }, `${one.id} ${one.name}`));
  const rows = [["saw", one.saw], ["wanted", one.wanted], [one.proven ? "proven" : "likely", one.likely?.replace(/^proven: /, "")], ["do", one.do]].filter(([, text]) => text);
  return element("article", { class: `card finding ${one.severity}` }, marks, element("h3", {}, ...prose(one.title)),
    one.place ? element("p", { class: "mono where" }, one.place) : null,
    element("dl", { class: "told" }, ...rows.map(([label, text]) => element("div", { class: label }, element("dt", {}, label), element("dd", {}, ...prose(text))))));
}
