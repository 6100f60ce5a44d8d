// The page in Chromium, as a planner uses it. usage: page.mjs NODE_MODULES FOLDER_OF_PAGES WHAT_IF_OF_FEED_A.json
// It prints how long opening and answering take and fails at ten times what docs/page.md says, no sooner: other work may run on this machine.
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [, , modules, folder, whatIf] = process.argv;
const require = createRequire(path.join(path.dirname(fs.realpathSync(modules)), "x.js"));
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const VIEWS = ["verdict", "hall", "power", "cooling", "fabric", "server", "tables", "expect"];

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const settled = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));

// A page that minds everything said and every request; `done` fails on what it saw.
async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage(), seen = [], url = "file://" + path.join(folder, name + ".html");
  page.on("console", m => seen.push(`console: ${m.text()}`));
  page.on("pageerror", e => seen.push(`error: ${e.message}`));
  page.on("dialog", d => { seen.push(`dialog: ${d.message()}`); d.dismiss(); });
  page.on("request", r => { if (!r.url().startsWith(url)) seen.push(`request: ${r.url()}`); });
  const begin = Date.now();
  await page.goto(url);
  await page.waitForSelector("main h2");
  await settled(page);
  const took = Date.now() - begin;
  return { page, took, done: async () => { assert.deepEqual(seen, [], name); await context.close(); } };
}
async function show(page, hash) {
  const begin = Date.now();
  await page.evaluate(h => { location.hash = h; }, hash);
  await settled(page);
  return Date.now() - begin;
}
async function accessible(page, where) {
  await page.evaluate(axe);
  // Rows of a table are alike: the first ones stand for all. In the others only names and places of elements could differ.
  const { violations } = await page.evaluate(() => window.axe.run({ include: [["html"]], exclude: [["tbody tr:nth-child(n+8)"]] }, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map(v => `${where}: ${v.id}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(" | ")}`), []);
}
// What is drawn follows the address an instant later.
async function becomes(page, selector, wanted) {
  const found = await page.waitForFunction(([at, text]) => document.querySelector(at)?.textContent === text, [selector, wanted], { timeout: 20000 }).catch(() => null);
  assert.ok(found, `${selector} is '${await page.locator(selector).first().textContent()}', not '${wanted}'`);
}
const text = (page, selector) => page.locator(selector).first().innerText();

async function everyView(name, { most = 10000, heap = 500 } = {}) {
  const { page, took, done } = await open(name);
  const times = [];
  for (const view of VIEWS) {
    times.push(await show(page, view));
    assert.ok((await text(page, "main h2")).length > 0, `${name} ${view}`);
    assert.ok(await page.locator(`nav a[aria-current="page"]`).count() === 1);
  }
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable");
  const used = (await client.send("Performance.getMetrics")).metrics.find(m => m.name === "JSHeapUsedSize").value / 1e6;
  assert.ok(used < heap, `${name}: ${used} MB of JavaScript heap`);
  assert.ok(took < most && Math.max(...times) < most, `${name}: opened in ${took} ms, views in ${times} ms`);
  console.log(`ok: ${name}: opened in ${took} ms, views in at most ${Math.max(...times)} ms, ${used.toFixed(0)} MB of heap`);
  await done();
}

const made = name => fs.existsSync(path.join(folder, name + ".html"));
for (const name of ["lab", "nvl72", "campus", "cloud", "priced-lab", "broken", "superpod"]) if (made(name)) await everyView(name);
if (made("roce-16384")) await everyView("roce-16384", { most: 30000 });

// No violation, in both themes and on a narrow screen; nothing is wider than the screen. PAGES=all: every page, and more ways.
const all = process.env.PAGES === "all", WAYS = [["light", 1280], ["dark", 390], ...(all ? [["dark", 1280], ["light", 390]] : [])];
async function sound(name, places, ways = WAYS) {
  for (const [colorScheme, width] of ways) {
    const { page, done } = await open(name, { colorScheme, viewport: { width, height: 900 } });
    for (const place of places) {
      await show(page, place);
      await page.evaluate(() => document.querySelectorAll("details").forEach(d => { d.open = true; }));
      await settled(page);
      await accessible(page, `${name} ${colorScheme} ${width} ${place}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${name} ${place} is ${wide} wide on a screen of ${width}`);
    }
    await done();
  }
}
await sound("superpod", [...VIEWS, "hall?object=rack/r01", "power?object=pdu/r01/a&cut=feed/A", "fabric?object=leaf/compute/u1/r1&from=gpu001:0&to=gpu100:3"]);
await sound("broken", ["verdict"], [["light", 390]]);
for (const name of ["lab", "nvl72", "broken", "campus", "cloud", "priced-lab", "roce-16384"]) if (all && made(name)) await sound(name, VIEWS, WAYS.slice(0, 2));
{ // A broken twin: axe-core is asked, and sees what is on the page.
  const { page } = await open("lab");
  await page.evaluate(() => document.querySelector("main").append(document.createElement("button")));
  await assert.rejects(accessible(page, "twin"), /button-name/);
  await page.context().close();
}

{ // As a planner works on a SuperPOD.
  const { page, done } = await open("superpod");
  await page.getByLabel("Find").fill("gpu017");
  await page.getByLabel("Find").press("Enter");
  await becomes(page, "aside h2", "node/gpu/017");
  assert.match(await text(page, "aside dl"), /Host\s+gpu017/);
  await page.getByRole("link", { name: "Show in Hall" }).click();
  await becomes(page, "main h2", "Hall");
  assert.ok(await page.locator("svg.elevation").count() === 2);
  assert.ok(await page.locator("svg.elevation .chosen").count() >= 1, "the node is marked in its rack");

  await page.goto(page.url());  // a link restores the view
  await becomes(page, "aside h2", "node/gpu/017");
  await show(page, "hall");
  await page.locator(".picture").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await becomes(page, "aside h2", "rack/r02");
  await page.getByLabel("Shade by").selectOption("weight");
  await page.waitForFunction(() => location.hash.includes("by=weight"));
  await settled(page);
  assert.match(await text(page, ".legend"), /kg/);

  // A feed is cut: the figures are those of the program.
  await show(page, "power?object=feed/A");
  await page.getByRole("link", { name: "✂ Cut", exact: true }).click();
  await becomes(page, ".cut strong", "✂ feed/A has failed");
  const banner = await text(page, ".cut"), { state } = JSON.parse(fs.readFileSync(whatIf, "utf8"));
  assert.match(banner, /feed\/A has failed/);
  for (const [feed, va] of Object.entries(state.feeds_va)) {
    const shown = va === 0 ? "0 VA" : `${Number((va / 1000).toPrecision(4))} kVA`;
    assert.ok(banner.includes(`${feed} ${shown}`), `${banner} has no ${feed} ${shown}`);
  }
  assert.ok(await page.locator(".box.dead").count() === 1);
  await page.getByRole("link", { name: "Repair" }).click();
  await page.locator(".cut").waitFor({ state: "detached" });
  assert.ok(await page.locator(".cut").count() === 0);
  // A leaf of the storage network: every node that it cuts off is named, and its racks are marked.
  await show(page, "hall?cut=leaf/storage/01");
  assert.match(await text(page, ".cut"), /18 nodes without network 'storage': gpu\[001-018\]/);
  assert.equal(await page.locator(".floor .cross").count(), 5);

  // A path: adapter, leaf, spine, leaf, adapter.
  await show(page, "fabric");
  await page.getByLabel("From (host:GPU)").fill("gpu001:2");
  await page.getByLabel("To", { exact: true }).fill("gpu100:2");
  await page.getByRole("button", { name: "Trace" }).click();
  await page.locator(".path").waitFor();
  const hops = await page.locator(".path li a").allInnerTexts();
  assert.equal(hops.length, 5);
  assert.deepEqual([hops[0], hops[1], hops[3], hops[4]], ["node/gpu/001", "leaf/compute/u1/r3", "leaf/compute/u4/r3", "node/gpu/100"]);
  assert.match(hops[2], /^spine\/compute\//);
  await page.getByLabel("To", { exact: true }).fill("nobody");
  await page.getByRole("button", { name: "Trace" }).click();
  await page.getByText("There is no node 'nobody'.").waitFor();

  // Cables: filtered, sorted, copied.
  await show(page, "tables");
  await page.getByLabel("Filter").first().fill("gpu017 storage");
  await page.waitForFunction(() => /of 3,521 rows/.test(document.querySelector("main [role=status]").textContent));
  const rows = await page.locator("main tbody tr:not(.space)").allInnerTexts();
  assert.ok(rows.length >= 1 && rows.every(r => /node\/gpu\/017/.test(r) && /storage/.test(r)), rows.join("\n"));
  await page.getByRole("button", { name: "Way" }).click();
  await page.locator("th[aria-sort=ascending]").waitFor();
  assert.equal(await page.locator("th[aria-sort=ascending]").innerText(), "Way");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy as CSV" }).click();
  await page.waitForFunction(() => /copied/.test(document.querySelector("main [role=status]").textContent));
  const copied = (await page.evaluate(() => navigator.clipboard.readText())).trim().split("\n");
  assert.equal(copied[0], "Network,From,Port,Rack,To,Port,Rack,Rate,Cable,Way");
  assert.equal(copied.length, rows.length + 1);
  // A port of a switch, by its name.
  await page.getByLabel("Find").fill("port/leaf/compute/u1/r3/17");
  await page.getByLabel("Find").press("Enter");
  await becomes(page, "aside h2", "leaf/compute/u1/r3");
  // Figures have the units of their dimensions.
  await show(page, "expect");
  const figures = (await page.locator("main details.finding summary").allInnerTexts()).join("\n");
  assert.match(figures, /gemm\.bf16 .*ceiling 989\.\d TFLOP\/s/);
  // On paper all is light.
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  assert.ok(await page.locator("nav").isHidden());
  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  // The theme that is chosen goes before that of the system.
  await page.getByRole("button", { name: "Dark" }).click();
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(20, 23, 26)");
  await done();
  console.log("ok: search, keys, cut, path, tables and theme");
}
{ // A finding leads to its object, and names its place.
  const { page, done } = await open("broken");
  assert.match(await text(page, ".verdict"), /Cannot be built/);
  assert.match(await text(page, "details.error"), /broken\.yaml:24:12/);
  await page.locator("details.error a.object", { hasText: "rack/r1" }).first().click();
  await becomes(page, "aside h2", "rack/r1");
  assert.match(await text(page, "aside"), /finding/);
  await done();
  console.log("ok: a finding followed to its object");
}
{ // Names are text, whatever stands in them; and nothing could be fetched or added.
  const { page, done } = await open("hostile");
  assert.match(await text(page, "h1"), /^<\/script><img src=x onerror=alert\(1\)><script>alert\(2\)<\/script>/);
  for (const view of VIEWS) await show(page, view);
  await show(page, "power");
  assert.match(await page.locator("svg.chain").first().textContent(), /<b>left<\/b>/);
  assert.equal(await page.locator("img, main b b").count(), 0);
  await done();
  const changed = await open("hostile-changed");
  for (const view of ["changes", ...VIEWS, "power?object=feed/<b>left</b>"]) await show(changed.page, view);
  assert.match(await changed.page.locator("svg.chain").first().textContent(), /\+ feed <b>left<\/b>/);
  assert.equal(await changed.page.locator("img, main b b").count(), 0);
  await changed.done();
  const other = await browser.newPage();
  await other.goto("file://" + path.join(folder, "lab.html"));
  assert.equal(await other.evaluate(() => fetch("https://example.org").then(() => "fetched", () => "refused")), "refused");
  assert.equal(await other.evaluate(() => { const s = document.createElement("script"); s.textContent = "window.ran = 1"; document.body.append(s); return window.ran ?? 0; }), 0);
  console.log("ok: hostile names are text; no script but the page's own runs, and nothing is fetched");
}
// Results of an acceptance, of an audit and of two specs: no violation with everything open.
for (const [name, places] of [["culprit", ["acceptance?node=n3&metric=memory.triad&object=node/gpu/3", "hall?object=node/gpu/2", "hall?by=marked", "fabric", "verdict"]], ["clean", ["acceptance"]],
  ["audited", ["audit?object=node/n/1", "hall?object=rack/r1", "fabric"]], ["changed", ["changes?object=node/gpu/001", "hall?object=rack/m6", "hall?object=rack/m1", "power", "cooling", "fabric"]], ["unchanged", ["changes"]], ["serving", ["expect"]]])
  await sound(name, places, all ? WAYS : ["changed", "culprit"].includes(name) ? WAYS : WAYS.slice(0, 1));
console.log("ok: axe-core finds no violation in light, dark and at 390 pixels");

{ // An acceptance that did not pass: its failed cell leads to node, rack and unit.
  const { page, done } = await open("faulty");
  assert.equal(await text(page, "main h2"), "Acceptance");
  assert.match(await text(page, ".verdict"), /✖ not passed.*4 fail.*1 of 1 figures that the spec demands not met/s);
  assert.match(await text(page, ".badge"), /not passed/);
  const cells = page.locator(".results").first().locator(".cell-of");
  assert.equal(await cells.filter({ hasText: "✖" }).count(), 4);
  await page.locator(".results").first().locator(".cell-of.fail").last().click();
  await becomes(page, "section[role=status] h3", "n3: memory.triad");
  const chosen = await text(page, "section[role=status]");
  assert.match(chosen, /✖ failed.*measured 12\.0\d GB\/s · floor 15 GB\/s/);
  assert.match(chosen, /below the floor of 15 GB\/s that the spec sets/);
  assert.match(chosen, /node\/gpu\/3 · rack\/r1 · unit 11–12/);
  assert.match(await text(page, "aside"), /Did not pass.*memory\.triad: failed/s);
  // The same by keys, from the chosen cell to its neighbours.
  await page.locator(".results").first().focus();
  await page.keyboard.press("ArrowDown");
  await becomes(page, "section[role=status] h3", "n4: memory.triad");
  // What a node answered is text.
  assert.match(await text(page, "section[role=status]"), /drained \(fan <img src=x onerror=alert\(1\)><\/script><b>off<\/b>\)/);
  await page.keyboard.press("ArrowUp");
  await becomes(page, "section[role=status] h3", "n3: memory.triad");
  // The figure stands beside its floor, with its name.
  assert.match(await page.locator("main").innerText(), /▼ n3 12\.0\d GB\/s \(failed\)/);
  assert.match(await page.locator("svg.strip").first().textContent(), /floor 15 GB\/s/);
  // The table has what the picture has, and is searched.
  await page.getByText("Results as a table").click();
  await page.getByLabel("Filter").first().fill("n3 memory.triad");
  await page.waitForFunction(() => [...document.querySelectorAll("main [role=status]")].some(x => /^1 of \d+ rows$/.test(x.textContent)));
  await page.getByLabel("Rows", { exact: true }).selectOption("wrong");
  await page.waitForFunction(() => location.hash.includes("rows=wrong"));
  await page.locator("section[role=status]").getByRole("link", { name: "unit 11–12" }).click();
  await becomes(page, "main h2", "Hall");
  assert.ok(await page.locator("svg.elevation .flagged.chosen").count() >= 1, "the node is marked in its rack");
  assert.equal(await page.locator(".floor .flag").count(), 1);
  await page.getByLabel("Find").fill("n1");
  await page.getByLabel("Find").press("Enter");
  await becomes(page, "aside h2", "node/gpu/1");
  assert.equal(await page.locator("img, main b b").count(), 0);
  for (const view of VIEWS) await show(page, view);
  await done();
  const clean = await open("clean");
  assert.match(await text(clean.page, ".verdict"), /✔ passed/);
  assert.equal(await clean.page.locator(".cell-of.fail, .cell-of.error, .cell-of.degraded").count(), 0);
  assert.equal(await clean.page.locator(".results").first().locator(".cell-of.pass").count(), 24);
  assert.equal(await clean.page.locator(".results").first().locator(".cell-of.unjudged").count(), 60);
  await clean.done();
  console.log("ok: an acceptance: a failed cell followed to its node, rack and unit");
}
{ // A culprit with its evidence, marked where it stands; figures over size.
  const { page, done } = await open("culprit");
  assert.match(await text(page, "main"), /✖ cable the cable of n2 data\/1: slow in one direction/);
  assert.match(await text(page, "main"), /n1 to n2: 3 GB\/s <b>slow<\/b>/);
  assert.equal(await page.locator(".chart svg[role=img]").count(), 1);
  await page.locator("details.error a.object", { hasText: "port/switch/lan/01/2" }).first().click();
  await becomes(page, "aside h2", "switch/lan/01");
  assert.match(await text(page, "aside"), /▲ culprit: the cable of n2 data\/1/);
  await show(page, "fabric?network=lan");
  assert.match(await text(page, "main"), /▲ marks what did not pass, and culprits: .*switch\/lan\/01.*Dashed lines are cables that are named/s);
  await show(page, "hall?object=switch/lan/01");
  assert.ok(await page.locator("svg.elevation .flagged.chosen").count() >= 1);
  await done();
}
{ // Two runs compared, and results on the floor plan.
  const { page, done } = await open("culprit");
  const compared = page.locator("section", { has: page.getByRole("heading", { name: "Compared with an earlier run" }) });
  assert.match(await compared.innerText(), /2 figures of both runs.*Differs: the spec\..*memory\.triad\s+▼ worse\s+−20\.0 %/s);
  assert.deepEqual([await compared.locator("rect.gain").count(), await compared.locator("rect.gain.worse").count()], [2, 1]);
  await compared.getByLabel("Filter").last().fill("n3");
  assert.match(await compared.locator(".table").last().innerText(), /▼ worse\s+memory\.triad\s+n3\s+20 GB\/s\s+12 GB\/s\s+−40\.0 %\s+passed\s+failed/);
  await show(page, "hall");
  await page.getByLabel("Shade by").selectOption("marked");
  await page.waitForFunction(() => /[1-9] objects?$/.test(document.querySelector(".legend").innerText.trim()));
  await page.getByLabel("Shade by").selectOption("least memory.triad");
  await page.waitForFunction(() => /GB\/s/.test(document.querySelector(".legend").innerText));
  await done();
}
{ // Workloads: time of a step, memory, scaling, throughput against latency, each with a table; loads of links; NVLink beside the PCIe tree.
  const { page, done } = await open("superpod");
  await show(page, "expect");
  const { workloads: [pretrain], fabrics: [compute] } = JSON.parse(/<script type="application\/json" id="plan">(.*?)<\/script>/s.exec(fs.readFileSync(path.join(folder, "superpod.html"), "utf8"))[1]);
  assert.match(await text(page, "main"), new RegExp(`pretrain.*Step\\s+${Number(pretrain.fastest.step_s.total.toPrecision(4))} s.*Time of a step.*Memory of a GPU.*Scaling`, "s"));
  assert.equal(await page.locator("svg.stack").count(), 2);
  await page.getByText("Memory of a GPU, as a table").click();
  assert.match(await page.locator(".table", { hasText: "Memory of a GPU" }).innerText(), /activations\s+43\.5 GiB/);
  await show(page, "fabric?network=compute");
  assert.match(await page.locator(".table", { hasText: "Loads of links" }).innerText(), new RegExp(`random permutations\\s+${compute.link_loads[3].worst}`));
  await show(page, "server");
  assert.match(await page.locator(".box.nvlink").textContent(), /all GPUs450 GB\/s one way/);
  await done();
  const serves = await open("serving");
  await show(serves.page, "expect");
  assert.match(await text(serves.page, "main"), /Limits of the spec\s+✖ not met.*Throughput against latency/s);
  await serves.page.getByText("Throughput and latency as a table").click();
  assert.ok(await serves.page.locator(".table", { hasText: "Batches of 'job'" }).locator("tbody tr").count() > 1);
  await serves.done();
  const cooled = await open("nvl72");  // the loss of a cooling unit, and GPUs that stand beside the PCIe tree
  await show(cooled.page, "cooling?object=zone/hall");
  await cooled.page.getByRole("link", { name: /✂ Cut cooling\/hall/ }).click();
  await cooled.page.locator(".cut").waitFor();
  assert.match(await text(cooled.page, ".cut"), /5 of 6 units left/);
  await show(cooled.page, "server");
  assert.equal(await cooled.page.locator(".box.gpu").count(), 4);
  await cooled.done();
  // At 390 pixels every view has its tab in sight.
  const narrow = await open("lab", { viewport: { width: 390, height: 800 } });
  await show(narrow.page, "expect");
  assert.ok(await narrow.page.evaluate(() => [...document.querySelectorAll("nav a")].every(a => { const box = a.getBoundingClientRect(); return box.left >= 0 && box.right <= innerWidth; })));
  await narrow.done();
  console.log("ok: two runs compared; workloads, loads of links, NVLink, the loss of a cooling unit");
}
{ // An audit: findings with their place; what they name is marked.
  const { page, done } = await open("audited");
  assert.match(await text(page, ".verdict"), /✖ 3 findings/);
  assert.match(await text(page, "details.error"), /fabric\.txt:11:1/);
  await page.locator("details.error a.object", { hasText: "cable/node/n/3/compute/2" }).first().click();
  await becomes(page, "main h2", "Fabric");
  await becomes(page, "aside h2", "node/n/3");
  assert.match(await text(page, "main"), /▲ marks what the audit names: .*node\/n\/1.*Dashed lines/s);
  await show(page, "audit");
  await page.getByLabel("Filter").first().fill("slow");
  await page.waitForFunction(() => [...document.querySelectorAll("main [role=status]")].some(x => x.textContent === "1 of 4 rows"));
  await show(page, "hall?object=rack/r1");
  assert.deepEqual([await page.locator(".floor .flag").count(), await page.locator("figure").first().locator(".flagged").count() > 1], [2, true]);
  for (const view of VIEWS) await show(page, view);
  await done();
  console.log("ok: an audit: findings followed to what they name");
}
{ // Two specs: what is added, removed and changed, in each drawing with a sign and in each table with a word.
  const { page, done } = await open("changed");
  assert.equal(await text(page, "main h2"), "Changes");
  assert.match(await text(page, ".verdict"), /^\+ [\d,]+ added, − [\d,]+ removed, ~ [\d,]+ changed/);
  const state = rack => page.evaluate(name => { const found = [...document.querySelectorAll("svg.floor text[data-rack]")].find(t => t.textContent === name); return document.querySelector(`svg.floor rect[data-rack="${found.dataset.rack}"]`).getAttribute("class"); }, rack);
  assert.match(await state("r33"), /state added/);
  assert.match(await state("r05"), /state changed/);
  assert.equal(await page.locator("svg.floor rect.former.removed").count(), 1);
  assert.deepEqual([await page.locator("svg.floor rect.plate.added").count(), await page.locator("svg.floor rect.plate.removed").count()], [4, 1]);
  // Every row of the table of changes has its word; a filter shows one kind.
  const table = page.locator(".table", { hasText: "Changes of objects and cables" });
  assert.ok((await table.locator("tbody tr:not(.space) td:first-child").allInnerTexts()).every(x => /^(\+ added|− removed|~ changed)$/.test(x)));
  await page.getByLabel("Show").selectOption("removed");
  await page.waitForFunction(() => location.hash.includes("state=removed"));
  await settled(page);
  assert.ok((await table.locator("tbody tr:not(.space) td:first-child").allInnerTexts()).every(x => x === "− removed"));
  await table.getByLabel("Filter").fill("storage/scratch/8");
  await page.waitForFunction(() => /^\d+ of /.test([...document.querySelectorAll(".table")].find(t => /Changes of objects/.test(t.textContent)).querySelector("[role=status]").textContent));
  // What is gone is found, and shown where it stood.
  await table.getByRole("link", { name: "storage/scratch/8", exact: true }).first().click();
  await becomes(page, "aside h2", "storage/scratch/8");
  assert.match(await text(page, "aside"), /− removed/);
  await becomes(page, "main h2", "Hall");
  await page.getByLabel("Find").fill("node/gpu/001");
  await page.getByLabel("Find").press("Enter");
  await becomes(page, "aside h2", "node/gpu/001");
  await show(page, "hall?object=rack/m6");
  await becomes(page, "main h3", "Rack m6, which is removed");
  assert.equal(await page.locator("svg.elevation").count(), 1);
  // A rack before and now: nodes that moved away, and those that moved into it.
  await show(page, "hall?object=rack/r05");
  assert.deepEqual([await page.locator("svg.elevation").count(), await page.locator("svg.elevation .changes.changed").count()], [3, 12]);
  assert.match(await page.locator("svg.elevation").nth(0).textContent(), /~ gpu017/);
  assert.match(await page.locator("svg.elevation").nth(1).textContent(), /~ gpu021/);
  await show(page, "power");
  assert.deepEqual([await page.locator(".box.changes.removed").count(), await page.locator(".box.changes.changed").count() > 3], [1, true]);
  assert.match(await page.locator("svg.chain").first().textContent(), /with other power feed/);
  await page.getByText("Power chain as a table").click();
  assert.match(await page.locator(".table", { hasText: "Boxes of the power chain" }).innerText(), /~ changed: .*− removed/s);
  await show(page, "fabric?network=compute");
  await page.getByText("Picture as a table").click();
  await page.locator(".table", { hasText: "Joined in 'compute'" }).getByLabel("Filter").fill("gpu/001");
  await page.waitForFunction(() => /− removed: 1 link/.test(document.querySelector("main").innerText));
  for (const view of ["changes", ...VIEWS]) await show(page, view);
  await done();
  const same = await open("unchanged");
  assert.match(await text(same.page, ".verdict"), /✔ Nothing changes/);
  assert.equal(await same.page.locator("rect.plate").count(), 0);
  await same.done();
  console.log("ok: two specs: what is added, removed and changed");
}
if (made("roce-16384")) { // Large: a search, a path and a filter answer.
  const { page, done } = await open("roce-16384");
  let begin = Date.now();
  await page.getByLabel("Find").fill("gpu12345");
  await page.getByLabel("Find").press("Enter");
  await becomes(page, "aside h2", "node/gpu/12345");
  const found = Date.now() - begin;
  const traced = await show(page, "fabric?from=gpu00001:0&to=gpu16384:0");
  assert.equal(await page.locator(".path li").count(), 7, "three tiers: leaf, spine, core, spine, leaf");
  await show(page, "tables");
  begin = Date.now();
  await page.getByLabel("Filter").first().fill("gpu12345 compute");
  await page.waitForFunction(() => / of /.test(document.querySelector("main [role=status]").textContent));
  console.log(`ok: roce-16384: found a node in ${found} ms, traced a path in ${traced} ms, filtered all cables in ${Date.now() - begin} ms`);
  await page.emulateMedia({ media: "print" });
  await done();
}
await browser.close();
