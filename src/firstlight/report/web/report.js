// The report: draws the plots where the page has left room for them, and lets findings be filtered.

import { LineChart } from "./chart.js";
import { HeatMap } from "./heatmap.js";
import { themeToggle } from "./theme.js";

const KINDS = { lines: LineChart, map: HeatMap };

function drawPlots() {
  const plots = JSON.parse(document.getElementById("plots").textContent);
  const later = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      later.unobserve(target);
      const plot = plots[target.dataset.plot];
      new KINDS[plot.kind](target, plot);
    }
  }, { rootMargin: "400px" });
  for (const figure of document.querySelectorAll("[data-plot]")) later.observe(figure);
}

function filterFindings() {
  const bar = document.querySelector(".filter");
  if (!bar) return;
  bar.hidden = false;
  const box = bar.querySelector("input");
  const chips = [...bar.querySelectorAll(".chip")];
  const cards = [...document.querySelectorAll(".finding")];
  const sift = () => {
    const wanted = new Set(chips.filter((chip) => chip.ariaPressed === "true").map((chip) => chip.dataset.severity));
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const card of cards) {
      card.hidden = !wanted.has(card.dataset.severity) || !words.every((word) => card.dataset.words.includes(word));
    }
    bar.querySelector("output").textContent = `${cards.filter((card) => !card.hidden).length} of ${cards.length} shown`;
  };
  box.addEventListener("input", sift);
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      chip.ariaPressed = String(chip.ariaPressed !== "true");
      sift();
    });
  }
}

document.documentElement.classList.add("scripted");
themeToggle(document.querySelector(".theme"));
filterFindings();
drawPlots();
