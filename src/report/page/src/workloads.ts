// Workloads as plan.json reckons them: memory of a GPU, time of a step, scaling, and throughput against latency.
import { chart } from "./chart";
import { plan } from "./data";
import { h, s } from "./dom";
import { bytes, count, digits, percent, plural } from "./format";
import { below, table } from "./table";

const time = (v: number) => (v < 1e-3 ? `${digits(v * 1e6)} µs` : v < 1 ? `${digits(v * 1e3)} ms` : `${digits(v)} s`);
const rate = (v: number) => `${digits(v)} tokens/s`;
const words = (key: string) => key.replace(/_/g, " ");
const FILLS = ["#56b4e9", "#e69f00", "#5fc9a5", "#f0e442", "#d9a3c2", "#c9ced4", "#88a5d8", "#e0916a"];

// A bar of parts: each has its name and share in it where there is room, and a row in the table.
function stack(title: string, parts: [string, number][], text: (v: number) => string, limit?: [string, number]): HTMLElement {
  const shown = parts.filter(([, v]) => v > 0), sum = shown.reduce((a, [, v]) => a + v, 0), full = Math.max(sum, limit?.[1] ?? 0) || 1, W = Math.min(860, Math.max(300, innerWidth - 60));
  let at = 0;
  const marks = shown.flatMap(([name, v], i) => {
    const x = (W * at) / full, w = (W * v) / full, label = w > name.length * 7 + 8 ? name : w > 16 ? String(i + 1) : "";
    at += v;
    return [s("rect", { x, y: 0, width: Math.max(0.5, w), height: 26, fill: FILLS[i % 8], stroke: "#333", "stroke-width": 0.5 }, s("title", {}, `${name}: ${text(v)} (${percent(v / sum)})`)), label ? s("text", { x: x + w / 2, y: 13, class: "on-light", "text-anchor": "middle", "dominant-baseline": "central" }, label) : null];
  });
  return h("div", {}, h("h5", {}, title), s("svg", { width: W, height: limit ? 46 : 28, viewBox: `0 0 ${W} ${limit ? 46 : 28}`, role: "img", class: "stack", "aria-label": `${title}: ${text(sum)}` }, ...marks,
    limit ? s("path", { d: `M${Math.min(W - 1, (W * limit[1]) / full)} 0v32`, class: "limit" }) : null, limit ? s("text", { x: Math.min(W, (W * limit[1]) / full), y: 40, "text-anchor": "end" }, `${limit[0]} ${text(limit[1])}`) : null),
  below(`${title}, as a table`, () => table({ caption: title, rows: shown.length, columns: [{ name: "Part", text: i => `${i + 1} ${shown[i][0]}` }, { name: "Value", text: i => text(shown[i][1]), key: i => shown[i][1], number: true }, { name: "Share", text: i => percent(shown[i][1] / sum), key: i => shown[i][1], number: true }] })));
}
const terms = (of: any, leave: string[]): [string, number][] => Object.entries(of ?? {}).filter(([k, v]) => typeof v === "number" && !leave.includes(k)).map(([k, v]) => [words(k), v as number]);
const splitText = (x: any): string => Object.entries(x ?? {}).filter(([k, v]) => (typeof v === "number" ? v > 1 : typeof v === "string" && v !== "none") && !["recompute_layers"].includes(k)).map(([k, v]) => `${words(k)} ${v}`).join(", ") || "none";
function facts(rows: [string, string | null | undefined][]): HTMLElement {
  return h("dl", {}, ...rows.filter(([, v]) => v).flatMap(([k, v]) => [h("dt", {}, k), h("dd", {}, v)]));
}

function training(w: any): (HTMLElement | string)[] {
  const f = w[w.reckoned_with] ?? w.fastest, out: (HTMLElement | string)[] = [];
  if (!f?.step_s) return out;
  out.push(facts([["Split", splitText(f.split)], ["Step", time(f.step_s.total)], ["Throughput", w.tokens_per_second ? rate(w.tokens_per_second) : ""], ["Model FLOP utilisation", w.model_flops_utilisation ? percent(w.model_flops_utilisation) : ""],
    ["Splits that fit", f.tried ? `${count(f.fitting)} of ${count(f.tried)} tried` : ""], ["Communication", f.step_s.communication_share !== undefined ? `${percent(f.step_s.communication_share)} of the step` : ""]]),
  stack("Time of a step", terms(f.step_s, ["total", "communication_share", "micro_batches"]), time));
  if (f.memory_bytes) out.push(stack("Memory of a GPU", terms(f.memory_bytes, ["total", "reserved"]), bytes, w.rates?.memory_bytes ? ["memory", w.rates.memory_bytes] : undefined));
  const scale: any[] = (w.scaling ?? []).filter((x: any) => x.tokens_per_second_per_gpu > 0);
  if (scale.length > 1) out.push(h("h5", {}, "Scaling"), chart(`Throughput of '${w.name}' over GPUs`, scale.map(x => x.gpus), [{ name: "tokens a second of each GPU", y: scale.map(x => x.tokens_per_second_per_gpu) }], { xText: count, yText: v => digits(v), xLabel: "GPUs" }),
    below("Scaling as a table", () => table({ caption: `Scaling of '${w.name}'`, rows: scale.length, columns: [{ name: "GPUs", text: i => count(scale[i].gpus), key: i => scale[i].gpus, number: true }, { name: "Each GPU", text: i => rate(scale[i].tokens_per_second_per_gpu), key: i => scale[i].tokens_per_second_per_gpu, number: true },
      { name: "Efficiency", text: i => percent(scale[i].efficiency), key: i => scale[i].efficiency, number: true }, { name: "Step", text: i => (scale[i].step_s ? time(scale[i].step_s.total) : ""), number: true }, { name: "Memory", text: i => (scale[i].memory_bytes ? bytes(scale[i].memory_bytes.total) : ""), number: true }, { name: "Split", text: i => splitText(scale[i].split), wide: true }] })));
  const others: any[] = f.next ?? [];
  if (others.length) { const all = [f, ...others]; out.push(below("The fastest splits", () => table({ caption: `Splits of '${w.name}'`, rows: all.length, columns: [{ name: "Step", text: i => time(all[i].step_s.total), key: i => all[i].step_s.total, number: true }, { name: "Memory", text: i => bytes(all[i].memory_bytes.total), key: i => all[i].memory_bytes.total, number: true }, { name: "Split", text: i => splitText(all[i].split), wide: true }] }))); }
  return out;
}

function serving(w: any): (HTMLElement | string)[] {
  const v = w.serving, r = v?.[w.reckoned_with] ?? v?.reckoned_with ?? v?.best;
  if (!r) return [];
  const curve: any[] = Object.values(v).find((x: any) => Array.isArray(x) && x.length && x[0]?.per_token_s !== undefined) as any[] ?? [], out: (HTMLElement | string)[] = [
    facts([["Requests", v.requests ? `${count(v.requests.input)} tokens in, ${count(v.requests.output)} out` : ""], ["A copy", `${plural(r.gpus, "GPU")}${r.gpus > 1 ? `: ${splitText({ tensor: r.tensor, pipeline: r.pipeline, data: r.data })}` : ""}`], ["Copies", v.copies ? count(v.copies) : ""], ["Sequences at once", count(r.sequences)],
      ["Throughput of all", v.tokens_per_second ? `${rate(v.tokens_per_second)}, between ${rate(v.tokens_per_second_low)} and ${rate(v.tokens_per_second_high)}` : ""], ["First token", r.first_token_s ? time(r.first_token_s) : ""], ["Each further token", r.per_token_s ? time(r.per_token_s) : ""], ["Limited by", r.limiting_resource], ["Limits of the spec", r.meets_limits === undefined ? "" : r.meets_limits ? "✔ met" : "✖ not met"]])];
  if (r.step_terms_s) out.push(stack("Time of a step", terms(r.step_terms_s, []), time));
  const each = r.gpus || 1;
  if (w.rates?.memory_bytes) out.push(stack("Memory of a GPU", [["weights", r.weights_bytes / each], ["cache of keys and values", r.kv_bytes / each]], bytes, ["memory", w.rates.memory_bytes]));
  if (curve.length > 1) out.push(h("h5", {}, "Throughput against latency"), chart(`Throughput of a copy of '${w.name}' over the time of a token`, curve.map(x => x.per_token_s), [{ name: "tokens a second of a copy", y: curve.map(x => x.tokens_per_second) }], { xText: time, yText: x => digits(x), xLabel: "time of each further token", linear: true }),
    below("Throughput and latency as a table", () => table({ caption: `Batches of '${w.name}'`, rows: curve.length, columns: [{ name: "Sequences", text: i => count(curve[i].sequences), key: i => curve[i].sequences, number: true }, { name: "Throughput", text: i => rate(curve[i].tokens_per_second), key: i => curve[i].tokens_per_second, number: true },
      { name: "First token", text: i => (curve[i].first_token_s ? time(curve[i].first_token_s) : ""), key: i => curve[i].first_token_s, number: true }, { name: "Each further token", text: i => time(curve[i].per_token_s), key: i => curve[i].per_token_s, number: true }] })));
  return out;
}

export function workloads(): HTMLElement | null {
  const all: any[] = plan.workloads ?? [];
  return all.length ? h("section", {}, h("h3", {}, "Workloads"), ...all.map(w => h("section", {}, h("h4", {}, w.name, h("span", { class: "quiet" }, ` ${w.kind}, ${w.precision}, ${plural(w.gpus, "GPU")} on ${plural(w.nodes, "node")}`)),
    w.missing?.length ? h("p", {}, `Not reckoned: ${w.missing.join(", ")} missing.`) : null, ...training(w), ...serving(w)))) : null;
}
