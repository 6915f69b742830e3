// A chart of curves over the steps of a training: axes with round numbers, a legend, and values under the pointer.

import { h, replace, svg } from "./dom.js";
import { number, short, t } from "./i18n.js";

const WIDTH = 520;
const HEIGHT = 220;
const LEFT = 62;
const RIGHT = 14;
const TOP = 12;
const BOTTOM = 30;
const SERIES = 4;

/** Round numbers that cover a range, about as many as asked for. */
function ticks(low, high, count) {
  const raw = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= raw - 1e-12);
  const found = [];
  for (let place = Math.ceil(low / step - 1e-9); place * step <= high + 1e-9 * step; place++)
    found.push(place * step || 0); // not −0
  return found;
}

function digitsFor(step) {
  return Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9)));
}

/** A table of the last points, for those who cannot see the curves. */
function summary(series, show) {
  return series.map(({ name, points }) => `${name}: ${show(points.at(-1)[1])}`).join("; ");
}

/** series: [{name, points: [[x, y]]}]; percent: y is a share; unit: what x counts. */
export function chart(title, series, { percent = false, unit = "" } = {}) {
  const scaled = series.map((each) => ({
    ...each,
    points: each.points.map(([x, y]) => [x, percent ? 100 * y : y]),
  }));
  const all = scaled.flatMap((each) => each.points);
  const most = Math.max(1, ...all.map(([x]) => x));
  let low = Math.min(...all.map(([, y]) => y));
  let high = Math.max(...all.map(([, y]) => y));
  if (percent) [low, high] = [0, 100];
  else if (low >= 0 && low < 0.6 * high) low = 0;
  // What hardly changes is a flat line, and not a mountain range.
  const least = 0.1 * Math.max(Math.abs(high), Math.abs(low)) || 1;
  if (high - low < least) [low, high] = [low - least, high + least];
  const rows = ticks(low, high, 4);
  const step = rows.length > 1 ? rows[1] - rows[0] : 1;
  high = Math.max(high, rows.at(-1));
  const x = (value) => LEFT + ((WIDTH - LEFT - RIGHT) * value) / most;
  const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * (value - low)) / (high - low);
  const level = (value) =>
    percent ? `${number(value)} %` : high >= 10000 ? short(value) : number(value, digitsFor(step));
  const exact = (value) => (percent ? `${number(value, 1)} %` : number(value, Math.abs(value) < 100 ? 3 : 0));
  const colour = (index) => `var(--series-${(index % SERIES) + 1})`;
  const line = (points) =>
    points.map(([px, py], index) => `${index ? "L" : "M"}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join("");
  const marker = svg("g", { class: "chart-marker" });
  const told = h("p", { class: "chart-told small soft" }, summary(scaled, exact));
  const picture = svg(
    "svg",
    {
      class: "graph chart",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": `${title}. ${summary(scaled, exact)}`,
    },
    rows.map((value) => [
      svg("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
      svg("text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, level(value)),
    ]),
    ticks(0, most, 5).map((value) =>
      svg(
        "text",
        { x: x(value), y: HEIGHT - 10, "text-anchor": value > 0.97 * most ? "end" : "middle" },
        short(value),
      ),
    ),
    scaled.map((each, index) => {
      const path = svg("path", { d: line(each.points) });
      path.style.stroke = colour(index);
      return path;
    }),
    scaled.map((each, index) =>
      each.points.slice(each.points.length > 30 ? -1 : 0).map(([px, py]) => {
        const dot = svg("circle", { cx: x(px), cy: y(py), r: each.points.length > 1 ? 2.6 : 4 });
        dot.style.fill = colour(index);
        return dot;
      }),
    ),
    marker,
  );
  const point = (event) => {
    const box = picture.getBoundingClientRect();
    const place = (((event.clientX - box.left) / box.width) * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT);
    const nearest = scaled.map(({ points }) =>
      points.reduce((best, each) =>
        Math.abs(each[0] - place * most) < Math.abs(best[0] - place * most) ? each : best,
      ),
    );
    const at = nearest[0][0];
    replace(
      marker,
      svg("line", { class: "now", x1: x(at), x2: x(at), y1: TOP, y2: HEIGHT - BOTTOM }),
      nearest.map(([px, py], index) => {
        const dot = svg("circle", { cx: x(px), cy: y(py), r: 4.5 });
        dot.style.fill = colour(index);
        return dot;
      }),
    );
    const values = nearest.map(([, py], index) => `${scaled[index].name}: ${exact(py)}`).join("; ");
    replace(told, `${short(at)} ${unit}: ${values}`);
  };
  picture.addEventListener("pointermove", point);
  picture.addEventListener("pointerleave", () => {
    replace(marker);
    replace(told, summary(scaled, exact));
  });
  const legend = scaled.map((each, index) => {
    const bar = h("i");
    bar.style.background = colour(index);
    return h("span", {}, bar, each.name);
  });
  return h(
    "figure",
    { class: "chart-box" },
    h(
      "figcaption",
      {},
      h("strong", {}, title),
      unit && h("span", { class: "soft small" }, t("chart.over", { unit })),
    ),
    picture,
    scaled.length > 1 && h("div", { class: "legend" }, legend),
    told,
  );
}
