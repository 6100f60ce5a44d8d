// Numbers for people: four digits and a prefix, as the program's own texts have them.
export function quantity(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined) return "unknown";
  if (value === 0) return `0 ${unit}`;
  const steps = ["", "k", "M", "G", "T", "P"];
  let step = 0, v = value;
  while (Math.abs(v) >= 999.95 && step < steps.length - 1) { v /= 1000; ++step; }
  return `${digits(v)} ${steps[step]}${unit}`;
}
export function digits(v: number): string {
  return Number(v.toPrecision(4)).toLocaleString("en", { maximumFractionDigits: 4, useGrouping: true });
}
export const watts = (v: number | null | undefined) => quantity(v, "W");
export const va = (v: number | null | undefined) => quantity(v, "VA");
export function percent(share: number): string {
  const near = share !== 1 && Math.abs(share - 1) < 0.005;  // never "100 %" of what falls short of it
  return `${(near && share < 1 ? Math.floor(share * 1000) / 10 : share * 100).toFixed(near || (share < 0.1 && share > 0) ? 1 : 0)} %`;
}
export const count = (n: number) => n.toLocaleString("en");
export const plural = (n: number, word: string) => `${count(n)} ${word}${n === 1 ? "" : /(s|x|ch|sh)$/.test(word) ? "es" : "s"}`;
// As the program's texts have it, in cubic feet a minute.
export const air = (v: number | null | undefined) => (v === null || v === undefined ? "unknown" : `${digits(v / 0.3048 ** 3 * 60)} CFM`);
export const rate = (v: number) => quantity(v, "b/s");
export const bytesPerSecond = (v: number | null | undefined) => quantity(v, "B/s");
export function bytes(v: number): string {
  const steps = ["B", "KiB", "MiB", "GiB", "TiB"];
  let step = 0;
  while (v >= 1024 && step < steps.length - 1) { v /= 1024; ++step; }
  return `${digits(v)} ${steps[step]}`;
}
export function ipv4(value: number): string {
  return [24, 16, 8, 0].map(shift => Math.floor(value / 2 ** shift) % 256).join(".");
}
export function fromIpv4(text: string): number {
  return text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

// "pdu/r[01-03]/{a,b}" -> each name. Names may hold several brackets: "u[1-4]/r[1-4]".
export function expand(pattern: string): string[] {
  const brace = /\{([^{}]*)\}/.exec(pattern);
  if (brace) return apart(brace[1]).flatMap(word =>
    expand(pattern.slice(0, brace.index) + word + pattern.slice(brace.index + brace[0].length)));
  const list = apart(pattern);
  if (list.length > 1) return list.flatMap(expand);
  const bracket = /\[([^\][]*)\]/.exec(pattern);
  if (!bracket) return pattern ? [pattern] : [];
  const before = pattern.slice(0, bracket.index), rest = expand(pattern.slice(bracket.index + bracket[0].length));
  const after = rest.length ? rest : [""];
  const out: string[] = [];
  for (const part of bracket[1].split(",")) {
    const range = /^(\d+)-(\d+)$/.exec(part);
    if (!range) { for (const tail of after) out.push(before + part + tail); continue; }
    for (let n = Number(range[1]); n <= Number(range[2]); ++n)
      for (const tail of after) out.push(before + String(n).padStart(range[1].length, "0") + tail);
  }
  return out;
}
// At commas outside brackets.
function apart(text: string): string[] {
  const out: string[] = [];
  let depth = 0, begin = 0;
  for (let i = 0; i <= text.length; ++i) {
    if (i === text.length || (text[i] === "," && depth === 0)) { out.push(text.slice(begin, i)); begin = i + 1; }
    else if (text[i] === "[" || text[i] === "{") ++depth;
    else if (text[i] === "]" || text[i] === "}") --depth;
  }
  return out;
}
