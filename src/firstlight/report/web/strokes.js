// What stands in a chart of curves: a curve, its measured points where they are few, where it breaks, and named places.

import { drawn } from "./dom.js";
import { shown } from "./scale.js";

const MOST_SPOTS = 24;
const LINE_HEIGHT = 13;

function isDrawable(value, kind) {
  return Number.isFinite(value) && (kind === "linear" || value > 0);
}

export function line(one, x, y, kind) {
  let path = "";
  let pen = "M";
  for (const [at, value] of one.points) {
    const drawable = isDrawable(value, kind);
    if (drawable) path += `${pen}${x.at(at).toFixed(1)},${y.at(value).toFixed(1)}`;
    pen = drawable ? "L" : "M";
  }
  return drawn("path", { class: `curve s${one.tone}${one.dashed ? " dashed" : ""}`, d: path });
}

// A value that is NaN or infinite has no height to be drawn at: a cross at the top edge, and a line for as long as it lasts.
export function broken(one, x) {
  const stretches = [];
  one.points.forEach(([at, value], place) => {
    if (Number.isFinite(value)) return;
    if (place && !Number.isFinite(one.points[place - 1][1])) stretches.at(-1).to = at;
    else stretches.push({ from: at, to: at, value });
  });
  return stretches.map(({ from, to, value }) => drawn("g", { class: "broken" },
    drawn("path", { d: `M${x.at(from) - 4},4l8,8m0,-8l-8,8M${x.at(from)},8H${x.at(to)}` }),
    drawn("text", { x: x.at(from) + 9, y: 21 }, `${shown(value)} from ${shown(from)}`)));
}

export function spots(one, x, y, kind) {
  if (one.dashed || one.points.length > MOST_SPOTS) return [];
  const [low, high] = x.domain;
  return one.points.filter(([at, value]) => at >= low && at <= high && isDrawable(value, kind))
    .map(([at, value]) => drawn("circle", { class: `dot s${one.tone}`, cx: x.at(at), cy: y.at(value), r: 4 }));
}

// A place on the x axis; where its name is short it stands beside it, each a line lower than the one before.
export function upright(mark, x, foot, place) {
  const at = x.at(mark.x);
  const left = at > (x.at(x.domain[0]) + x.at(x.domain[1])) / 2;
  const name = drawn("text", { x: at + (left ? -4 : 4), y: LINE_HEIGHT * (place + 1), "text-anchor": left ? "end" : "start" }, mark.text);
  return drawn("g", { class: "mark" }, drawn("line", { x1: at, x2: at, y1: 0, y2: foot }), mark.named ? name : drawn("title", {}, mark.text));
}
