// How long until the first chart of a cold permalink, and until the aligned text of the largest artifact: a fresh
// browser context for each run, so nothing is cached. Needs BASE_URL and CHROMIUM as run.mjs does; prints JSON.

import { chromium } from "playwright-core";

const base = process.env.BASE_URL;
const runs = Number(process.env.RUNS ?? 9);
const PAGES = {
  trends: ["/p/triton/trends?kernel=flex_attention", ".chart .plot[data-drawn]"],
  compare: ["/p/triton/compare/3.4.0...3.5.0/flex_attention?target=sm_100a&config=128x64_w8_s2", '[data-test="families"]'],
  text: ["/p/triton/compare/3.4.0...3.5.0/flex_attention?target=sm_100a&config=128x64_w8_s2&stage=sass", '[data-test="change"]'],
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
});
const result = {};
for (const [name, [path, ready]] of Object.entries(PAGES)) {
  const times = [];
  for (let run = 0; run < runs; run += 1) {
    const context = await browser.newContext({ baseURL: base, viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.addInitScript((selector) => {
      const seen = () => {
        if (window.firstSeen === undefined && document.querySelector(selector)) window.firstSeen = performance.now();
      };
      new MutationObserver(seen).observe(document, { subtree: true, childList: true, attributes: true });
    }, ready);
    await page.goto(path);
    await page.waitForFunction(() => window.firstSeen !== undefined);
    times.push(
      await page.evaluate(() => ({
        ready: Math.round(window.firstSeen),
        paint: Math.round(performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0),
        bytes: performance.getEntriesByType("resource").reduce((sum, entry) => sum + entry.transferSize, 0),
      })),
    );
    await context.close();
  }
  const sorted = (key) => times.map((time) => time[key]).sort((a, b) => a - b);
  const ready_ms = sorted("ready");
  result[name] = {
    runs,
    ready_ms_median: ready_ms[Math.floor(runs / 2)],
    ready_ms_worst: ready_ms.at(-1),
    paint_ms_median: sorted("paint")[Math.floor(runs / 2)],
    bytes: times[0].bytes,
  };
}
// How long the layout viewer takes to draw a tile of 256 × 128 elements, as the page itself measured it.
{
  const text = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [8, 1], order = [1, 0]}>";
  const times = [];
  const page = await browser.newPage({ baseURL: base });
  for (let run = 0; run < runs; run += 1) {
    await page.goto(`/layouts?shape=256x128&a=${encodeURIComponent(text)}`);
    const tile = page.locator('[data-test="tile-a"][data-drawn-ms]');
    await tile.waitFor();
    times.push(Number(await tile.getAttribute("data-drawn-ms")));
  }
  times.sort((a, b) => a - b);
  result.layout_tile = { runs, draw_ms_median: times[Math.floor(runs / 2)], draw_ms_worst: times.at(-1) };
}
await browser.close();
console.log(JSON.stringify(result, null, 2));
