import "./style.css";
import { acceptance, audit, objects, hosts, pdus, plan, racks, rackObject, feeds, ports } from "./data";
import { acceptanceView, signOfRun } from "./acceptance";
import { aside } from "./aside";
import { auditView } from "./audit";
import { changes, diff } from "./changes";
import { changesView, verdictOfDiff } from "./changesView";
import { banner } from "./cut";
import { h, labelled } from "./dom";
import { plural } from "./format";
import { coolingView } from "./cooling";
import { expectView } from "./expect";
import { fabricView, serverView } from "./fabric";
import { hallView } from "./hall";
import { powerView } from "./power";
import { here, start, to } from "./state";
import { tablesView } from "./tables";
import { verdictView } from "./verdict";

const views: Record<string, [string, () => HTMLElement]> = {
  ...(acceptance ? { acceptance: ["Acceptance", acceptanceView] } : {}), ...(audit ? { audit: ["Audit", auditView] } : {}), ...(diff ? { changes: ["Changes", changesView] } : {}),
  verdict: ["Verdict", verdictView], hall: ["Hall", hallView], power: ["Power", powerView], cooling: ["Cooling", coolingView],
  fabric: ["Fabric", fabricView], server: ["Server", serverView], tables: ["Tables", tablesView], expect: ["Expectations", expectView],
};

// A theme that somebody chose goes before the one of the system; a page from disk may be denied its storage.
const stored = { get: () => { try { return localStorage.getItem("clusterc-theme"); } catch { return null; } }, set: (v: string) => { try { localStorage.setItem("clusterc-theme", v); } catch { /* not kept */ } } };
const dark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

const main = h("main", { id: "main", tabindex: -1 }), nav = h("nav", { "aria-label": "Views" }), side = h("div", { class: "side" });

function find(words: string): string[] {
  const w = words.toLowerCase().trim(), out: string[] = [], seen = new Set<string>();
  if (!w) return out;
  const offer = (name: string, text: string) => { if (out.length < 20 && !seen.has(name) && text.toLowerCase().includes(w)) { seen.add(name); out.push(name); } };
  for (const f of feeds) offer(`feed/${f.name}`, `feed/${f.name}`);
  for (const z of plan.cooling_zones) offer(`zone/${z.name}`, `zone/${z.name}`);
  // What is the word itself goes first.
  const exact = objects.findIndex((o, i) => o.toLowerCase() === w || hosts[i].toLowerCase() === w);
  if (exact >= 0) offer(objects[exact], w);
  for (let r = 0; r < racks.length && out.length < 20; ++r) offer(rackObject(r), rackObject(r));
  for (let i = 0; i < objects.length && out.length < 20; ++i) offer(objects[i], `${objects[i]} ${hosts[i]}`);
  for (let i = 0; i < pdus.length && out.length < 20; ++i) offer(pdus[i].name, pdus[i].name);
  if (diff) for (const c of changes()) if (c.object && !c.cable && /\//.test(c.object)) offer(c.object, c.object);
  return out;
}

function search(): HTMLElement {
  const list = h("ul", { class: "hits", hidden: true }), input = h("input", { type: "search", autocomplete: "off", placeholder: "node, rack, switch, port, PDU" });
  const status = h("span", { class: "unseen", role: "status" });
  input.addEventListener("input", () => {
    // "leaf/compute/u1/r3/17" is a port: its switch is shown, and the table of its links filtered.
    const asked = input.value.replace(/^(port|cable)\//, ""), hits = find(asked);
    const port = !hits.length ? /^(.+)\/([^/]+)$/.exec(asked) : null, owner = port && ports.includes(port[2]) ? find(port[1])[0] : undefined;
    const shown: [string, string][] = owner ? [[`port ${port![2]} of ${owner}`, to("tables", { table: "cables", filter: owner, object: owner })]] : hits.map(o => [o, to(here().view === "tables" ? "hall" : here().view, { object: o })]);
    list.replaceChildren(...shown.map(([text, href]) => h("li", {}, h("a", { href, click: () => { list.hidden = true; input.value = ""; } }, text))));
    list.hidden = !shown.length;
    status.textContent = input.value ? plural(shown.length, "hit") : "";
  });
  input.addEventListener("keydown", event => {
    if (event.key === "Enter") list.querySelector("a")?.click();
    if (event.key === "Escape") { list.hidden = true; input.value = ""; }
  });
  return h("div", { class: "search" }, labelled("Find", input), list, status);
}

function header(): HTMLElement {
  const theme = h("button", { click: () => { const to = dark() ? "light" : "dark"; document.documentElement.dataset.theme = to; stored.set(to); theme.textContent = to === "dark" ? "Light" : "Dark"; render(); } }, dark() ? "Light" : "Dark");
  return h("header", {}, h("a", { class: "skip", href: "#main", click: (event: Event) => { event.preventDefault(); main.focus(); } }, "Skip to the view"),
    h("h1", {}, plan.cluster), acceptance ? h("span", { class: "badge " + signOfRun[1] }, `${signOfRun[0]} ${acceptance.verdict}`) : diff ? h("span", { class: "badge" }, diff.same ? "✔ nothing changes" : verdictOfDiff()) : h("span", { class: "badge " + (plan.verdict.buildable ? "yes" : "no") }, plan.verdict.buildable ? "✔ can be built" : "✖ cannot be built"), search(), theme);
}

let last = "";
function render(): void {
  const place = here(), [word, view] = views[place.view] ?? views.verdict;
  nav.replaceChildren(...Object.entries(views).map(([key, [text]]) => h("a", { href: to(key), "aria-current": (views[place.view] ? place.view : "verdict") === key ? "page" : undefined }, text)));
  // What is drawn anew keeps the focus and the places that were scrolled to.
  const same = last === place.view, at = scrollY, detail = aside(), reach = () => [...main.querySelectorAll<HTMLElement>("a,button,select,input,summary,[tabindex]")];
  const focus = document.activeElement as HTMLElement | null, focused = same && focus ? reach().indexOf(focus) : -1;
  const frames = () => [...main.querySelectorAll(".scroll")], offsets = same ? frames().map(f => [f.scrollLeft, f.scrollTop]) : [];
  const opened = new Set(same ? [...main.querySelectorAll("details[open] > summary")].map(x => x.textContent) : []);
  main.replaceChildren(...[banner(), view()].filter((x): x is HTMLElement => x !== null));
  side.replaceChildren(...(detail ? [detail] : []));
  document.body.classList.toggle("selected", detail !== null);
  document.title = `${plan.cluster}: ${word.toLowerCase()}`;
  main.querySelectorAll("details").forEach(d => { if (opened.has(d.firstElementChild!.textContent)) d.open = true; });
  frames().forEach((f, i) => { if (offsets[i]) [f.scrollLeft, f.scrollTop] = offsets[i]; });
  const again = focused >= 0 ? reach().find((e, i) => i >= focused - 1 && e.tagName === focus!.tagName && e.getAttribute("aria-label") === focus!.getAttribute("aria-label")) : undefined;
  again?.focus({ preventScroll: true });
  scrollTo(0, same ? at : 0);
  last = place.view;
}

start.view = Object.keys(views)[0];
const theme = stored.get();
if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
document.getElementById("page")!.append(header(), nav, h("div", { class: "columns" }, main, side),
  h("footer", {}, `clusterc ${acceptance ? "validate" : audit ? "audit" : diff ? "diff" : "plan"} · spec ${plan.spec_sha256.slice(0, 12)} · every figure is that of ${acceptance ? "plan.json and the report" : diff ? "plan.json and of clusterc diff" : "plan.json"}`));
// What is drawn in colours of the screen is drawn anew for paper.
let shown: string | undefined;
addEventListener("beforeprint", () => { shown = document.documentElement.dataset.theme; document.documentElement.dataset.theme = "light"; render(); });
addEventListener("afterprint", () => { if (shown) document.documentElement.dataset.theme = shown; else delete document.documentElement.dataset.theme; render(); });
addEventListener("hashchange", render);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", render);
render();
