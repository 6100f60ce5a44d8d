import { chart } from "./chart";
import { plan } from "./data";
import { choice, h } from "./dom";
import { bytes, bytesPerSecond, count, digits, plural, quantity } from "./format";
import { go, here } from "./state";
import { below, table } from "./table";
import { workloads } from "./workloads";

const UNITS: Record<string, string> = { "byte rate": "B/s", "bit rate": "b/s", power: "W", bytes: "B", "FLOP rate": "FLOP/s", "operation rate": "IOPS", "transfer rate": "T/s", frequency: "Hz" };
export function figure(f: any, dimension: string): string {
  if (f.value === null) return "none";
  if (dimension === "time") return f.value < 1e-3 ? `${digits(f.value * 1e6)} µs` : f.value < 1 ? `${digits(f.value * 1e3)} ms` : `${digits(f.value)} s`;
  return UNITS[dimension] ? quantity(f.value, UNITS[dimension]) : digits(f.value);
}

export function expectView(): HTMLElement {
  const all: any[] = plan.all_reduce ?? [], figures: any[] = plan.expected ?? [];
  const groups = [...new Set(all.map(a => a.group))], group = groups.includes(here().group) ? here().group : groups[0];
  const mine = all.filter(a => a.group === group), out = h("div", {}, h("h2", {}, "Expectations"),
    h("p", { class: "quiet" }, "Ceiling: what physics allows. Typical: what healthy published systems reach. Floor: below it a measurement fails."));
  if (mine.length) {
    const sizes: number[] = [...new Set<number>(mine.flatMap(a => a.sizes.map((q: any) => q.bytes)))].sort((a, b) => a - b);
    const nodes = mine.map(a => a.nodes);
    out.append(h("h3", {}, "All-reduce"), groups.length > 1 ? choice("Node group", groups.map(g => [g, g]), group, value => go({ group: value })) : "",
      sizes.length ? h("div", {}, h("p", {}, "Bus bandwidth expected at each message size, a line for each number of nodes."),
        chart(`All-reduce bus bandwidth over message size, group ${group}`, sizes, mine.map(a => ({ name: `${plural(a.gpus, "GPU")} on ${plural(a.nodes, "node")}`, y: sizes.map(x => a.sizes.find((q: any) => q.bytes === x)?.busbw ?? null) })), { xText: bytes, yText: bytesPerSecond, xLabel: "message size" })) : "",
      nodes.length > 1 ? h("div", {}, h("p", {}, "Scaling: ceiling of the best algorithm and typical bus bandwidth over the number of nodes."),
        chart(`All-reduce over nodes, group ${group}`, nodes, [{ name: "ceiling", y: mine.map(a => a.algorithms[0]?.ceiling ?? null) }, { name: "typical", y: mine.map(a => a.typical?.value ?? null) }], { xText: count, yText: bytesPerSecond, xLabel: "nodes" })) : "",
      below("Curves as a table, with their formulas", () => { const rows = mine.flatMap(a => a.algorithms.map((g: any) => ({ a, g }))); return h("div", {},
        table({ caption: "Ceilings of the algorithms", rows: rows.length, columns: [{ name: "Nodes", text: i => count(rows[i].a.nodes), key: i => rows[i].a.nodes, number: true }, { name: "GPUs", text: i => count(rows[i].a.gpus), number: true, key: i => rows[i].a.gpus }, { name: "Algorithm", text: i => rows[i].g.algorithm },
          { name: "Ceiling", text: i => bytesPerSecond(rows[i].g.ceiling), key: i => rows[i].g.ceiling, number: true }, { name: "Formula", text: i => rows[i].g.formula, wide: true }, { name: "Typical", text: i => (rows[i].a.typical ? bytesPerSecond(rows[i].a.typical.value) : "none"), number: true }, { name: "From", text: i => rows[i].a.typical?.formula ?? "", wide: true }] }),
        table({ caption: "By message size", rows: mine.length, columns: [{ name: "Nodes", text: i => count(mine[i].nodes), number: true, key: i => mine[i].nodes }, ...sizes.map(b => ({ name: bytes(b), number: true, text: (i: number) => { const q = mine[i].sizes.find((z: any) => z.bytes === b); return q ? bytesPerSecond(q.busbw) : "none"; } }))] })); }));
  }
  const planned = workloads(), list = h("div", {});
  if (planned) out.append(planned);
  for (const f of figures) list.append(h("details", { class: "finding" }, h("summary", {}, h("code", {}, f.test), ` ${f.group} (${f.scope}): `, f.skip ? `skipped: ${f.skip}` : `ceiling ${figure(f.ceiling, f.dimension)}, typical ${figure(f.typical, f.dimension)}, floor ${figure(f.floor, f.dimension)}`),
    f.missing ? h("p", {}, `Missing: ${f.missing}`) : null, f.algorithm ? h("p", {}, f.algorithm) : null,
    ...["ceiling", "typical", "floor"].filter(k => f[k].derivation).map(k => h("p", {}, h("b", {}, `${k}: `), f[k].derivation, f[k].source ? h("span", { class: "quiet" }, ` Source: ${f[k].source}${f[k].confirmed ? "" : " (not confirmed)"}`) : null))));
  out.append(h("h3", {}, "Expected figures"), h("p", { class: "quiet" }, "Open a line for its derivation and sources."), figures.length ? list : h("p", {}, "None."),
    figures.length ? below("Figures as a table", () => table({ caption: "Expected figures", rows: figures.length, columns: [{ name: "Test", text: i => figures[i].test }, { name: "Group", text: i => figures[i].group }, { name: "Scope", text: i => figures[i].scope },
      ...["ceiling", "typical", "floor"].map(k => ({ name: k[0].toUpperCase() + k.slice(1), number: true, text: (i: number) => figure(figures[i][k], figures[i].dimension) })), { name: "Missing or skipped", text: i => figures[i].missing || figures[i].skip, wide: true }] })) : "");
  return out;
}
