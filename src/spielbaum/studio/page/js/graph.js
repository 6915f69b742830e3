// The value of the position over the game, as lines from the first player's view.

import { h, replace, svg } from "./dom.js";
import { t } from "./i18n.js";

const WIDTH = 400;
const HEIGHT = 150;
const LEFT = 30;
const RIGHT = 10;
const TOP = 10;
const BOTTOM = 22;

/** series: [{name, points: Map from ply to value, series: 1.., exact}]; faults: Map from ply to words. */
export class Graph {
  constructor(onpick) {
    this.onpick = onpick;
    this.element = h("div", { class: "stack" });
  }

  draw(series, { plies, now, faults = new Map() }) {
    const x = (ply) => LEFT + ((WIDTH - LEFT - RIGHT) * ply) / Math.max(1, plies);
    const y = (value) => TOP + ((HEIGHT - TOP - BOTTOM) * (1 - value)) / 2;
    const line = (points) => {
      const known = [...points].sort(([a], [b]) => a - b);
      return known
        .map(([ply, value], index) => `${index ? "L" : "M"}${x(ply).toFixed(1)} ${y(value).toFixed(1)}`)
        .join("");
    };
    const marks = [...faults].map(([ply, why]) => {
      const points = series.find((each) => each.exact)?.points ?? series[0]?.points;
      const dot = svg("circle", { class: "fault", cx: x(ply), cy: y(points?.get(ply) ?? 0), r: 4.5 });
      dot.append(svg("title", {}, why));
      return dot;
    });
    const step = Math.max(1, Math.ceil(plies / 10));
    const ticks = [];
    for (let ply = 0; ply <= plies; ply += step)
      ticks.push(svg("text", { x: x(ply), y: HEIGHT - 6, "text-anchor": "middle" }, ply));
    const picture = svg(
      "svg",
      { class: "graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": t("graph.title") },
      [1, -1].map((value) =>
        svg("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
      ),
      svg("line", { class: "zero", x1: LEFT, x2: WIDTH - RIGHT, y1: y(0), y2: y(0) }),
      ["+1", "0", "−1"].map((text, index) =>
        svg("text", { x: LEFT - 6, y: y(1 - index) + 4, "text-anchor": "end" }, text),
      ),
      ticks,
      series.map((each) => {
        const path = svg("path", { d: line(each.points), class: each.exact ? "exact" : "" });
        if (!each.exact) path.style.stroke = `var(--series-${each.series})`;
        return path;
      }),
      series
        .filter((each) => !each.exact && each.points.size === 1)
        .map((each) => {
          const [[ply, value]] = each.points;
          const dot = svg("circle", { cx: x(ply), cy: y(value), r: 3 });
          dot.style.fill = `var(--series-${each.series})`;
          return dot;
        }),
      marks,
      svg("line", { class: "now", x1: x(now), x2: x(now), y1: TOP, y2: HEIGHT - BOTTOM }),
    );
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      const place = ((event.clientX - box.left) / box.width) * WIDTH;
      const ply = Math.round(((place - LEFT) / (WIDTH - LEFT - RIGHT)) * plies);
      this.onpick(Math.max(0, Math.min(plies, ply)));
    });
    const legend = series.map((each) => {
      const bar = h("i");
      bar.style.background = each.exact ? "var(--ink-soft)" : `var(--series-${each.series})`;
      return h("span", {}, bar, each.name);
    });
    replace(this.element, picture, h("div", { class: "legend" }, legend));
  }
}
