// Numbers, times and verdicts as a person reads them.

import { element } from "./dom.js";
import { numberOf, shown } from "./scale.js";

export function verdictBadge(card) {
  if (card.state === "running") return element("span", { class: "badge running" }, "running");
  if (card.verdict) return element("span", { class: `badge ${card.verdict === "warn" ? "warning" : card.verdict}` }, card.verdict);
  return element("span", { class: "badge" }, card.state === "silent" ? "no sign of life" : "not judged");
}

export function duration(seconds) {
  if (!seconds) return "–";
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

export function ago(written) {
  const when = new Date(written);
  if (Number.isNaN(when.getTime())) return element("span", {}, "–");
  const seconds = Math.max(0, (Date.now() - when.getTime()) / 1000);
  const steps = [[60, 1, "s"], [3600, 60, "min"], [86400, 3600, "h"], [Infinity, 86400, "days"]];
  const [, unit, word] = steps.find(([below]) => seconds < below);
  return element("time", { datetime: when.toISOString(), title: when.toLocaleString() }, `${Math.floor(seconds / unit)} ${word} ago`);
}

export function counted(card) {
  const parts = [[card.errors, "error"], [card.warnings, "warning"], [card.notes, "note"]].filter(([count]) => count);
  return parts.map(([count, word]) => `${count} ${word}${count > 1 ? "s" : ""}`).join(", ");
}

export function size(bytes) {
  const units = ["B", "kB", "MB", "GB"];
  let [value, place] = [bytes, 0];
  for (; value >= 1000 && place < units.length - 1; place += 1) value /= 1000;
  return `${value < 10 && place ? value.toFixed(1) : Math.round(value)} ${units[place]}`;
}

export function grouped(count) {
  return count.toLocaleString("en").replaceAll(",", "\u202f");
}

export function value(written) {
  return shown(numberOf(written));
}

// Words between backticks are code; nothing else in a text has a meaning.
export function prose(text) {
  return text.split("`").map((part, place) => (place % 2 ? element("code", {}, part) : part));
}

export function headRow(names, numbers) {
  const cell = (name) => element("th", { scope: "col", class: numbers.includes(name) ? "number-cell" : null }, name || element("span", { class: "unseen" }, "choose"));
  return element("thead", {}, element("tr", {}, ...names.map(cell)));
}

export function numberCells(card) {
  const told = [["steps", grouped(card.steps)], ["last loss", card.loss === null ? "–" : value(card.loss)], ["took", duration(card.seconds)]];
  return told.map(([label, text]) => element("td", { class: "number-cell", "data-label": label }, text));
}
