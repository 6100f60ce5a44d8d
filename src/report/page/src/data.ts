import { expand as expandNames } from "./format";

// The documents that the page holds, and indices over them. Every figure is read; none is computed a second time.
export interface Device { kind: string; name: string; unit: number; units: number; load?: number; cords?: string }
export interface Rack {
  name: string; power_w: number; power_complete: boolean; weight_kg: number; weight_complete: boolean;
  airflow_m3_s: number; liquid_heat_w: number; x_m: number; y_m: number; group: string; cooling: string;
  liquid: string; devices: Device[]; shelf_feeds?: string[];
}
export interface Pdu {
  name: string; feed: string; normal_va: number; worst_va: number; cords_c13: number; cords_c19: number;
  continuous_va: number | null; breaker_va: number | null; panel?: string; transfer?: string; phases?: number;
}
export interface Feed {
  name: string; normal_va: number; worst_va: number; normal_at_breaker_va: number; worst_at_breaker_va: number;
  after_losing: string; capacity_va?: number; breaker_va: number | null; in_use_w: number; ups?: any; generator?: string;
}
export interface State {
  trips: any[]; nodes: any; gpus: any; switches_dead: string[]; storage_dead: string[]; networks: any[]; services: any[];
  zones: any[]; limits: any[]; mains?: any[]; feeds_va: Record<string, number>;
}
export interface Failure { kind: string; count: number; components: string[]; example: string; state: State }
export interface Finding {
  severity: string; rule: string; message: string; label?: string; place?: { file: string; line: number; column: number };
  path?: string; notes: any[]; helps: any[]; objects: string[]; accepted: string | null; in_baseline: boolean;
}
export interface Group {
  kind: string; name: string; first: number; count: number; model: string; units: number; width_m?: number;
  depth_m?: number; static_load_kg?: number; power_limit_w?: number;
}
export interface Links {
  network: string; count: number; near: Uint32Array; nearPort: Uint16Array; far: Uint32Array; farPort: Uint16Array;
  cable: Uint16Array; rate: Uint16Array; length: Uint16Array;
}

function read(id: string): any {
  const element = document.getElementById(id)!;
  const value = JSON.parse(element.textContent!);
  element.remove();  // the text is as large as the values
  return value;
}

const readIf = (id: string) => (document.getElementById(id) ? read(id) : null);

export const acceptance = readIf("acceptance"), audit = readIf("audit"), diff = readIf("diff"), before = readIf("before");
export const plan = read("plan");
export const findings: Finding[] = read("findings").findings;
const whatIf = read("what-if");
export const failures: Failure[] = whatIf.single_failures;
export const normal: State = whatIf.normal;
const data = read("data");

export const racks: Rack[] = plan.racks, pdus: Pdu[] = plan.pdus, feeds: Feed[] = plan.feeds;
export const groups: Group[] = data.rack_groups;
export const margins: any[] = data.margins, marginsInAll: number = data.margins_in_all;
export const amps: number[][] = data.pdu_amps;
export const servers: any[] = data.servers;
export const specPath: string = data.spec;
export const objects: string[] = data.objects, hosts: string[] = data.hosts;
export const ports: string[] = data.ports, cables: string[] = data.cables, rates: string[] = data.rates;

function bytes(text: string): ArrayBuffer {
  const binary = atob(text), out = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) out[i] = binary.charCodeAt(i);
  return out.buffer;
}
const rackPlusOne = new Uint32Array(bytes(data.racks));
export const rackOf = (object: number) => rackPlusOne[object] - 1;

const decoded: (Links | undefined)[] = [];
export const networks: string[] = data.links.map((l: any) => l.network);
export const linkCount = (network: number): number => data.links[network].count;
export function links(network: number): Links {
  const l = data.links[network];
  return decoded[network] ??= {
    network: l.network, count: l.count, near: new Uint32Array(bytes(l.near)), nearPort: new Uint16Array(bytes(l.near_port)),
    far: new Uint32Array(bytes(l.far)), farPort: new Uint16Array(bytes(l.far_port)), cable: new Uint16Array(bytes(l.cable)),
    rate: new Uint16Array(bytes(l.rate)), length: new Uint16Array(bytes(l.length_dm)),
  };
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
export const objectNumber = lazily(() => new Map(objects.map((name, i) => [name, i])));
export const hostNumber = lazily(() => new Map(hosts.map((name, i) => [name, i])));
export const groupOfRack = lazily(() => {
  const out: Group[] = [];
  for (const g of groups) for (let r = g.first; r < g.first + g.count; ++r) out[r] = g;
  return out;
});
export const rackObject = (r: number) => `${groupOfRack()[r]?.kind ?? "rack"}/${racks[r].name}`;
export const rackNumber = lazily(() => new Map(racks.map((_, r) => [rackObject(r), r])));
export const pdusOfRack = lazily(() => {
  const out = new Map<string, number[]>();
  pdus.forEach((p, i) => {
    const rack = p.name.slice(4, p.name.lastIndexOf("/"));
    if (!out.has(rack)) out.set(rack, []);
    out.get(rack)!.push(i);
  });
  return out;
});
export const pduNumber = lazily(() => new Map(pdus.map((p, i) => [p.name, i])));

// A device of a rack as an object: nodes stand there by their host names.
export function objectOf(device: Device): string {
  if (device.kind !== "node") return device.name;
  const n = hostNumber().get(device.name);
  return n === undefined ? `node/${device.name}` : objects[n];
}
export const deviceAt = lazily(() => {
  const out = new Map<string, [number, Device]>();
  racks.forEach((rack, r) => rack.devices.forEach(d => d.name && out.set(objectOf(d), [r, d])));
  return out;
});
export function rackOfObject(name: string): number {
  const rack = rackNumber().get(name);
  if (rack !== undefined) return rack;
  if (name.startsWith("pdu/")) return rackNumber().get("rack/" + name.slice(4, name.lastIndexOf("/"))) ?? -1;
  const device = deviceAt().get(name);
  if (device) return device[0];
  const object = objectNumber().get(name);
  return object === undefined ? -1 : rackOf(object);
}

// Which row of the single failures a component is in.
const failureOf = lazily(() => {
  const out = new Map<string, number>();
  failures.forEach((f, i) => {
    if (f.kind !== "link") for (const pattern of f.components) for (const name of expandNames(pattern)) out.set(name, i);
    out.set(f.example, i);
  });
  return out;
});
export const failure = (component: string): Failure | undefined => {
  const i = failureOf().get(component);
  return i === undefined ? undefined : failures[i];
};

// Racks of the nodes that a state has lost.
export function racksLost(state: State): Set<number> {
  const out = new Set<number>();
  const add = (text: string) => {
    for (const host of expandNames(text)) {
      const n = hostNumber().get(host);
      if (n !== undefined && rackOf(n) >= 0) out.add(rackOf(n));
    }
  };
  add(state.nodes.dead);
  for (const n of state.networks) add(n.cut_off ?? "");
  return out;
}

// The links that an object has: [network, link] of each.
export function linksOf(object: string, most = 2000): [number, number][] {
  const number = objectNumber().get(object), out: [number, number][] = [];
  if (number === undefined) return out;
  for (let n = 0; n < networks.length; ++n) {
    const l = links(n);
    for (let i = 0; i < l.count && out.length < most; ++i) if (l.near[i] === number || l.far[i] === number) out.push([n, i]);
  }
  return out;
}
export const severityRank: Record<string, number> = { error: 0, warning: 1, note: 2 };
