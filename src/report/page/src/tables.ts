import { cables, hosts, linkCount, links, networks, objects, plan, ports, rackOf, racks, rates, servers } from "./data";
import { choice, h } from "./dom";
import { count, digits, fromIpv4, ipv4 } from "./format";
import { go, here, to } from "./state";
import { table } from "./table";

// Words are looked for once in the names, and then in numbers: half a million links answer at once.
function linkFilter(rowNetwork: Uint8Array, rowLink: Uint32Array) {
  return (words: string[]) => {
    const marks = words.map(w => {
      const mark = (texts: string[]) => Uint8Array.from(texts, t => (t.toLowerCase().includes(w) ? 1 : 0));
      const rack = racks.map(r => r.name.toLowerCase().includes(w));
      const object = Uint8Array.from(objects, (o, i) => (o.toLowerCase().includes(w) || hosts[i].toLowerCase().includes(w) || rack[rackOf(i)] ? 1 : 0));
      return { object, port: mark(ports), cable: mark(cables), network: mark(networks), rate: mark(rates) };
    });
    return (row: number) => {
      const n = rowNetwork[row], l = links(n), i = rowLink[row];
      return marks.every(m => m.network[n] || m.object[l.near[i]] || m.object[l.far[i]] || m.port[l.nearPort[i]] || m.port[l.farPort[i]] || m.cable[l.cable[i]] || m.rate[l.rate[i]]);
    };
  };
}

function cableTable(): HTMLElement {
  let total = 0;
  for (let n = 0; n < networks.length; ++n) total += linkCount(n);
  const rowNetwork = new Uint8Array(total), rowLink = new Uint32Array(total);
  let k = 0;
  for (let n = 0; n < networks.length; ++n) for (let i = 0; i < linkCount(n); ++i) { rowNetwork[k] = n; rowLink[k++] = i; }
  const order = new Uint32Array(objects.length), compare = new Intl.Collator("en", { numeric: true }).compare;
  let ordered = false;
  const rank = (o: number) => {
    if (!ordered) { [...objects.keys()].sort((a, b) => compare(objects[a], objects[b])).forEach((x, i) => { order[x] = i; }); ordered = true; }
    return order[o];
  };
  const l = (row: number) => links(rowNetwork[row]), i = (row: number) => rowLink[row];
  const near = (row: number) => l(row).near[i(row)], far = (row: number) => l(row).far[i(row)];
  const rack = (o: number) => (rackOf(o) >= 0 ? racks[rackOf(o)].name : "");
  return table({ caption: "Links, a row each", rows: total, filter: here().filter, rowFilter: linkFilter(rowNetwork, rowLink), link: o => to("tables", { object: o }), columns: [
    { name: "Network", text: r => networks[rowNetwork[r]], key: r => rowNetwork[r] },
    { name: "From", text: r => objects[near(r)], object: r => objects[near(r)], key: r => rank(near(r)) }, { name: "Port", text: r => ports[l(r).nearPort[i(r)]], key: r => l(r).nearPort[i(r)] }, { name: "Rack", text: r => rack(near(r)), key: r => rackOf(near(r)) },
    { name: "To", text: r => objects[far(r)], object: r => objects[far(r)], key: r => rank(far(r)) }, { name: "Port", text: r => ports[l(r).farPort[i(r)]], key: r => l(r).farPort[i(r)] }, { name: "Rack", text: r => rack(far(r)), key: r => rackOf(far(r)) },
    { name: "Rate", text: r => rates[l(r).rate[i(r)]], key: r => l(r).rate[i(r)] }, { name: "Cable", text: r => cables[l(r).cable[i(r)]], key: r => l(r).cable[i(r)] },
    { name: "Way", text: r => (l(r).length[i(r)] ? `${l(r).length[i(r)] / 10} m` : "unknown"), key: r => l(r).length[i(r)], number: true }] });
}

export function addressesOf(object: string): [string, string][] {
  const n = objects.indexOf(object), g = servers.find(x => n >= x.first && n < x.first + x.count), out: [string, string][] = [];
  if (!g) return out;
  for (const a of plan.addresses) for (const b of a.blocks)
    if (b.members_of === g.group && b.first) out.push([a.network, ipv4(fromIpv4(b.first) + (n - g.first) * b.stride)]);
  return out;
}

function addressTable(): HTMLElement {
  const rows: any[] = plan.addresses.flatMap((a: any) => [...a.blocks, ...a.equipment].map((b: any) => ({ ...b, network: a.network, subnet: a.subnet, gateway: a.gateway })));
  return table({ caption: "Addresses: the first of each block, and the step to the next member", rows: rows.length, search: true, filter: here().filter, columns: [
    { name: "Network", text: i => rows[i].network }, { name: "Subnet", text: i => rows[i].subnet }, { name: "Gateway", text: i => rows[i].gateway }, { name: "Members of", text: i => rows[i].members_of },
    { name: "Members", text: i => count(rows[i].members), key: i => rows[i].members, number: true }, { name: "First address", text: i => rows[i].first || "none", key: i => (rows[i].first ? fromIpv4(rows[i].first) : 0) },
    { name: "Step", text: i => String(rows[i].stride), key: i => rows[i].stride, number: true }] });
}
function billTable(): HTMLElement {
  const rows: any[] = [...plan.bill, ...plan.accessories.map((a: any) => ({ ...a, kind: "accessory" }))];
  return table({ caption: "Bill of materials", rows: rows.length, search: true, filter: here().filter, columns: [
    { name: "Part", text: i => rows[i].part }, { name: "What", text: i => rows[i].what, wide: true }, { name: "Kind", text: i => rows[i].kind }, { name: "Count", text: i => count(rows[i].count), key: i => rows[i].count, number: true },
    { name: "Spares", text: i => String(rows[i].spares ?? ""), key: i => rows[i].spares ?? 0, number: true }, { name: "Length", text: i => (rows[i].length_m ? `${digits(rows[i].length_m)} m` : ""), key: i => rows[i].length_m ?? 0, number: true },
    { name: "Basis", text: i => (rows[i].planning_default ? "planning default" : "") }] });
}
// Cost as plan.json has it: whatever it holds, a line a value.
function costTable(): HTMLElement {
  const rows: [string, string][] = [];
  const walk = (name: string, value: any) => {
    if (value !== null && typeof value === "object") for (const [k, v] of Object.entries(value)) walk(name ? `${name} · ${Array.isArray(value) ? label(value[Number(k)], k) : k.replace(/_/g, " ")}` : k.replace(/_/g, " "), v);
    else if (value !== null && value !== "") rows.push([name, typeof value === "number" ? value.toLocaleString("en", { maximumFractionDigits: 2 }) : String(value)]);
  };
  const label = (v: any, k: string) => String(v?.part ?? v?.name ?? v?.what ?? Number(k) + 1);
  walk("", plan.cost);
  return table({ caption: "Cost", rows: rows.length, search: true, filter: here().filter, columns: [{ name: "What", text: i => rows[i][0], wide: true }, { name: "Value", text: i => rows[i][1], number: true }] });
}
function switchTable(): HTMLElement {
  const rows: { name: string; model: string; rack: string }[] = [];
  for (let o = 0; o < objects.length; ++o) {
    const [kind, network] = objects[o].split("/");
    const word = kind === "switch" ? "switch" : kind;
    const tier = plan.fabrics.find((f: any) => f.network === network)?.tiers?.find((t: any) => t.tier === word);
    if (tier) rows.push({ name: objects[o], model: tier.model, rack: rackOf(o) >= 0 ? racks[rackOf(o)].name : "" });
  }
  return table({ caption: "Switches", rows: rows.length, search: true, filter: here().filter, link: o => to("tables", { object: o }), columns: [{ name: "Switch", text: i => rows[i].name, object: i => rows[i].name }, { name: "Model", text: i => rows[i].model }, { name: "Rack", text: i => rows[i].rack }] });
}

export function tablesView(): HTMLElement {
  const kinds: [string, string, () => HTMLElement][] = [["cables", "Links and cables", cableTable], ["switches", "Switches", switchTable], ["addresses", "Addresses", addressTable], ["bill", "Bill of materials", billTable]];
  if (plan.cost) kinds.push(["cost", "Cost", costTable]);
  const kind = kinds.find(k => k[0] === here().table) ?? kinds[0];
  return h("div", {}, h("h2", {}, "Tables"), h("div", { class: "tools" }, choice("Table", kinds.map(k => [k[0], k[1]]), kind[0], value => go({ table: value, filter: "" }))), kind[2]());
}
