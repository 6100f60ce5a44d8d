// How long pages take in Chromium, and what memory they use. usage: page.mjs NODE_MODULES PAGE.html…
// Prints a line for each page: time to open, slowest view, time of a search and of a path between two GPUs, resident set of the renderer after all views.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [, , modules, ...pages] = process.argv;
const { chromium } = createRequire(path.join(path.dirname(fs.realpathSync(modules)), "x.js"))("playwright-core");
const settled = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
for (const file of pages) {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] }), page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const timed = async what => { const begin = performance.now(); await what(); await settled(page); return (performance.now() - begin) / 1000; };
  const opened = await timed(async () => { await page.goto("file://" + path.resolve(file)); await page.waitForSelector("main h2"); });
  const views = [];
  for (const view of await page.locator("nav a").evaluateAll(all => all.map(a => a.getAttribute("href")))) views.push([await timed(() => page.evaluate(h => { location.hash = h; }, view)), view.slice(1).split("?")[0]]);
  const ends = await page.evaluate(() => { location.hash = "fabric"; return new Promise(done => setTimeout(() => done([...document.querySelectorAll("form input")].map(i => i.value)), 500)); });
  const path_ = ends.length === 2 ? await timed(async () => { await page.getByRole("button", { name: "Trace" }).click(); await page.locator("main [role=status]").last().waitFor(); }) : 0;
  const found = await timed(async () => { await page.getByLabel("Find").fill((ends[1] ?? "r1").replace(/:\d+$/, "")); await page.getByLabel("Find").press("Enter"); await page.locator("aside h2").waitFor(); });
  const pid = (await (await browser.newBrowserCDPSession()).send("SystemInfo.getProcessInfo")).processInfo.filter(p => p.type === "renderer").map(p => p.id);
  const most = Math.max(...pid.map(p => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${p}/status`, "utf8"))[1]) * 1024 / 1e6));
  const slowest = views.sort((a, b) => b[0] - a[0])[0];
  console.log(`${path.basename(file)}: ${(fs.statSync(file).size / 1e6).toFixed(2)} MB, opened in ${opened.toFixed(2)} s, slowest view ${slowest[0].toFixed(2)} s (${slowest[1]}), path ${path_.toFixed(2)} s, search ${found.toFixed(2)} s, ${most.toFixed(0)} MB`);
  await browser.close();
}
