import { plan, racks, rackObject } from "./data";
import { h, s } from "./dom";
import { air, percent, watts } from "./format";
import { here, go, to } from "./state";
import { floorPlan, goneTable, metrics } from "./hall";
import { diff, SIGN, zonesBefore } from "./changes";
import { below, table } from "./table";
import { rackOfObject } from "./data";

export function coolingView(): HTMLElement {
  const zones: any[] = plan.cooling_zones, W = Math.max(270, Math.min(640, innerWidth - 40)), H = 46;
  const bars = zones.flatMap((z, i) => {
    const limit = z.removes_w ?? 0, share = limit ? z.heat_w / limit : 0, full = Math.max(1, share), y = i * H * 1 + 8;
    return [s("g", { "data-object": `zone/${z.name}`, class: "box" + (here().object === `zone/${z.name}` ? " chosen" : "") },
      s("text", { x: 0, y: y + 12, class: "title" }, `${z.name} (${z.liquid ? "liquid" : "air"})`),
      s("text", { x: W, y: y + 12, "text-anchor": "end", class: "small" }, `${watts(z.heat_w)} of ${limit ? `${watts(limit)} (${percent(share)})` : "unknown"}`),
      s("rect", { x: 0, y: y + 18, width: W, height: 10, class: "track" }),
      s("rect", { x: 0, y: y + 18, width: W * Math.min(1, share / full), height: 10, class: share > 1 ? "fill over" : share > 0.9 ? "fill near" : "fill" }),
      limit ? s("line", { x1: W / full, x2: W / full, y1: y + 14, y2: y + 32, class: "limit" }) : null)];
  });
  const by = metrics[here().by] ? here().by : "air";
  return h("div", {}, h("h2", {}, "Cooling"),
    zones.length ? h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Heat of the zones", click: (event: MouseEvent) => {
      const object = (event.target as Element).closest?.("[data-object]")?.getAttribute("data-object");
      if (object) go({ object });
    } }, s("svg", { viewBox: `-4 0 ${W + 8} ${zones.length * H + 12}`, width: W + 8, height: zones.length * H + 12, role: "img", class: "chain", "aria-label": "Heat of each cooling zone against what its units remove" }, ...bars))
      : h("p", {}, "The spec names no cooling zones."),
    zones.length ? table({ caption: "Cooling zones", rows: zones.length, link: o => to("cooling", { object: o }), columns: [
      { name: "Zone", text: i => `zone/${zones[i].name}`, object: i => `zone/${zones[i].name}` }, { name: "Heat", text: i => watts(zones[i].heat_w), key: i => zones[i].heat_w, number: true },
      ...(diff ? [{ name: "Heat before", text: (i: number) => { const b = zonesBefore().get(`zone/${zones[i].name}`); return b === undefined ? `${SIGN.added} added` : watts(b); }, number: true }] : []),
      { name: "Removes", text: i => watts(zones[i].removes_w), key: i => zones[i].removes_w ?? 0, number: true }, { name: "Units", text: i => (zones[i].units > 0 ? `${zones[i].units}${zones[i].cdus ? " CDUs" : ""}` : "unknown"), number: true },
      { name: "Air needed", text: i => (zones[i].liquid ? "none" : air(zones[i].airflow_m3_s)), number: true, key: i => zones[i].airflow_m3_s },
      { name: "Air of one unit", text: i => (zones[i].liquid ? "none" : air(zones[i].unit_airflow_m3_s)), number: true },
      { name: "Supply", text: i => (zones[i].supply_c === null || zones[i].supply_c === undefined ? "unknown" : `${zones[i].supply_c} °C`), number: true }, { name: "Feeds", text: i => (zones[i].feeds ?? []).join(", ") }] }) : null,
    racks.length ? h("div", {}, h("h3", {}, "Racks"), h("p", { class: "quiet" }, `Shaded by ${metrics[by].word.toLowerCase()}.`),
      floorPlan(metrics[by], new Set(), rackOfObject(here().object ?? ""), "cooling"),
      below("Racks as a table", () => h("div", {}, goneTable(), table({ caption: "Heat, air and liquid of each rack", rows: racks.length, link: o => to("cooling", { object: o }), columns: [
        { name: "Rack", text: rackObject, object: rackObject, key: r => r }, { name: "Zone of air", text: r => racks[r].cooling }, { name: "Loop", text: r => racks[r].liquid },
        { name: "Heat in all", text: r => watts(racks[r].power_w), key: r => racks[r].power_w, number: true }, { name: "Into liquid", text: r => watts(racks[r].liquid_heat_w), key: r => racks[r].liquid_heat_w, number: true },
        { name: "Air", text: r => air(racks[r].airflow_m3_s), key: r => racks[r].airflow_m3_s, number: true }] })))) : null);
}
