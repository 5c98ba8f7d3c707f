// Which page: `#/` all runs, `#/run/ID` one of them, `#/compare/ID/ID` several.

import { Comparison } from "./compare.js";
import { RunView } from "./run.js";
import { RunList } from "./runs.js";
import { themeToggle } from "./theme.js";

const main = document.getElementById("main");
let page = null;

function route() {
  page?.close();
  const [kind, ...ids] = location.hash.replace(/^#\/?/, "").split("/").map(decoded);
  document.title = "firstlight";
  if (kind === "run" && ids[0]) page = new RunView(main, ids[0]);
  else if (kind === "compare" && ids.length > 1) page = new Comparison(main, ids);
  else page = new RunList(main);
  window.scrollTo(0, 0);
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

themeToggle(document.querySelector(".theme"));
window.addEventListener("hashchange", () => {
  route();
  main.focus({ preventScroll: true });
});
route();
