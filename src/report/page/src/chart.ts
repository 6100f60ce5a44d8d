// Curves: linear upwards, logarithmic or linear along; drawn anew when the width changes.
import { h, s } from "./dom";

const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];  // Okabe and Ito: told apart by all
const DASHES = ["", "8 4", "2 3", "10 3 2 3", "5 5", "1 4"];
const SHAPES = ["M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", "M-3.6 -3.6h7.2v7.2h-7.2z", "M0 -4.6l4.4 7.6h-8.8z", "M0 -5l5 5l-5 5l-5 -5z", "M0 4.6l4.4 -7.6h-8.8z", "M-4 -1.3h2.7v-2.7h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7z"];

export interface Series { name: string; y: (number | null)[] }
export interface ChartOptions { xText: (v: number) => string; yText: (v: number) => string; xLabel: string; linear?: boolean }

function steps(most: number, least = 0): number[] {  // some five round numbers from the least to the most
  const rough = (most - least) / 5 || 1, ten = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 2.5, 5, 10].find(k => k * ten >= rough)! * ten, out: number[] = [];
  for (let i = Math.ceil(least / step - 1e-9); i * step <= most * 1.0001; ++i) out.push(i * step);
  return out;
}

export function chart(title: string, x: number[], series: Series[], { xText, yText, xLabel, linear }: ChartOptions): HTMLElement {
  const frame = h("div", { class: "chart" });
  let width = 0;
  const draw = () => {
    width = Math.max(280, frame.clientWidth || 700);
    const H = 300, left = 82, right = width - 14, top = 10, bottom = H - 44;
    const value = (v: number) => (linear ? v : Math.log2(v)), low = linear && Math.min(...x) < 0.4 * Math.max(...x) ? 0 : value(Math.min(...x)), high = value(Math.max(...x)), span = high - low || 1;
    const px = (v: number) => left + 8 + ((right - left - 16) * (value(v) - low)) / span;
    const most = Math.max(1e-300, ...series.flatMap(q => q.y.filter((y): y is number => y !== null))), ticks = steps(most), tallest = Math.max(most * 1.05, ticks[ticks.length - 1]), py = (v: number) => bottom - ((bottom - top) * v) / tallest;
    const parts: SVGElement[] = ticks.flatMap(t => [s("path", { d: `M${left} ${py(t)}H${right}`, class: "grid" }), s("text", { x: left - 6, y: py(t), "text-anchor": "end", "dominant-baseline": "central" }, yText(t))]);
    let free = -Infinity;  // a text of the axis begins behind the one before it
    for (const v of linear ? steps(Math.max(...x), low) : x) {
      const at = px(v), half = xText(v).length * 3.6 + 4;
      if (at > right + 1) break;
      parts.push(s("path", { d: `M${at} ${top}V${bottom}`, class: "grid" }));
      const middle = Math.min(at, width - half);
      if (middle - half < free) continue;
      parts.push(s("text", { x: middle, y: bottom + 16, "text-anchor": "middle" }, xText(v)));
      free = middle + half;
    }
    parts.push(s("text", { x: (left + right) / 2, y: H - 6, "text-anchor": "middle" }, xLabel));
    series.forEach((q, k) => {
      const points = x.flatMap((v, i) => (q.y[i] === null ? [] : [[px(v), py(q.y[i]!), v, q.y[i]!] as const])), color = COLORS[k % 6];
      parts.push(s("path", { d: points.map(([a, b], i) => `${i ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`).join(""), fill: "none", stroke: color, "stroke-width": 2, "stroke-dasharray": DASHES[k % 6] || undefined }));
      for (const [a, b, v, y] of points) parts.push(s("path", { d: SHAPES[k % 6], transform: `translate(${a.toFixed(1)} ${b.toFixed(1)})`, fill: color }, s("title", {}, `${q.name}: ${yText(y)} at ${xText(v)}`)));
    });
    const key = h("ul", { class: "curves" }, ...series.map((q, k) => h("li", {}, s("svg", { width: 34, height: 12, viewBox: "-17 -6 34 12", "aria-hidden": "true" },
      s("path", { d: "M-17 0H17", stroke: COLORS[k % 6], "stroke-width": 2, "stroke-dasharray": DASHES[k % 6] || undefined }), s("path", { d: SHAPES[k % 6], fill: COLORS[k % 6] })), ` ${q.name}`)));
    frame.replaceChildren(s("svg", { width, height: H, viewBox: `0 0 ${width} ${H}`, role: "img", "aria-label": title }, ...parts), key);
  };
  draw();
  new ResizeObserver(() => { if (frame.isConnected && Math.abs(Math.max(280, frame.clientWidth) - width) > 2) draw(); }).observe(frame);
  return frame;
}
