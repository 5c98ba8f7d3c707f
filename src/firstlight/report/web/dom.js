// Elements are made from names, attributes and text, never from markup: nothing a run says can become code.

const SVG = "http://www.w3.org/2000/svg";

export function element(name, attributes = {}, ...children) {
  return furnished(document.createElement(name), attributes, children);
}

export function drawn(name, attributes = {}, ...children) {
  return furnished(document.createElementNS(SVG, name), attributes, children);
}

function furnished(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// A table that is only filled when somebody opens it: the numbers behind a plot, for every reader.
export function tableBehind(label, rows) {
  const details = element("details", { class: "behind" }, element("summary", {}, `${label} as a table`));
  details.addEventListener("toggle", () => {
    details.querySelector(".scroll")?.remove();
    if (!details.open) return;
    const [head, ...body] = rows();
    const cells = (kind, row) => row.map((cell) => element(kind, kind === "th" ? { scope: "col" } : {}, String(cell)));
    details.append(
      element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": `${label}, numbers` },
        element("table", {},
          element("thead", {}, element("tr", {}, ...cells("th", head))),
          element("tbody", {}, ...body.map((row) => element("tr", {}, ...cells("td", row)))))),
    );
  });
  return details;
}
