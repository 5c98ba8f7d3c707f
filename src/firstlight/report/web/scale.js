// From values to pixels and back, and the round numbers to write beside an axis.

export function scaleOf(kind, [low, high], [from, to]) {
  const bend = kind === "log" ? Math.log10 : (value) => value;
  const unbend = kind === "log" ? (value) => 10 ** value : (value) => value;
  const start = bend(low);
  const span = bend(high) - start || 1;
  return {
    kind,
    domain: [low, high],
    at: (value) => from + ((bend(value) - start) / span) * (to - from),
    value: (pixel) => unbend(start + ((pixel - from) / (to - from)) * span),
  };
}

// Room above and below, so that no curve is drawn on the frame.
export function padded(kind, low, high) {
  if (kind === "log") {
    const room = Math.max(0.05, 0.05 * Math.log10(high / low));
    return [low / 10 ** room, high * 10 ** room];
  }
  const room = 0.06 * (high - low) || Math.abs(high) * 0.1 || 1;
  return [low - room, high + room];
}

export function ticksOf(scale, most) {
  const [low, high] = scale.domain;
  if (scale.kind === "log" && Math.log10(high / low) >= 1) return powers(low, high, most);
  return evenly(low, high, most);
}

function evenly(low, high, most) {
  const rough = (high - low) / Math.max(1, most);
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = magnitude * ([1, 2, 5, 10].find((factor) => rough <= factor * magnitude) ?? 10);
  const found = [];
  for (let n = Math.ceil(low / step); n * step <= high + step * 1e-9; n += 1) found.push(n * step);
  return found;
}

function powers(low, high, most) {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / most));
  const between = (last - first + 1) * 3 <= most + 2 ? [1, 2, 5] : [1];
  const found = [];
  for (let power = first - 1; power <= last; power += every) found.push(...between.map((factor) => factor * 10 ** power));
  return found.filter((value) => value >= low && value <= high);
}

// Short, and the same number of digits wherever it stands: 0.0213, 1.47, 160, 1.2e-5, 24k.
export function shown(value) {
  if (value === null || value === undefined) return "–";
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) return value.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
  if (Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(3)));
}

// What a log writes for a number: JSON has no NaN, so those travel as strings.
export function numberOf(written) {
  return written === null || written === undefined ? null : Number(written);
}
