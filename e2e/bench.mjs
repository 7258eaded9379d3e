// How long until the first chart of a cold permalink, and until the aligned text of the largest artifact: a fresh
// browser context for each run, so nothing is cached. Then the aligned diff of two 20,000-line listings, and how smoothly
// it scrolls. Needs BASE_URL, CHROMIUM and DEMO_SRC as run.mjs does; prints JSON.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";

const base = process.env.BASE_URL;
const runs = Number(process.env.RUNS ?? 9);
const PAGES = {
  trends: ["/p/triton/trends?kernel=flex_attention", ".chart .plot[data-drawn]"],
  compare: ["/p/triton/compare/3.4.0...3.5.0/flex_attention?target=sm_100a&config=128x64_w8_s2", '[data-test="families"]'],
  lines: ["/p/triton/compare/3.4.0...3.5.0/flex_attention?target=sm_100a&config=128x64_w8_s2&panes=B.ttgir,B.sass&line=B.ttgir.200", ".ds.picked"],
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
/** Whole listings of one release, one behind the other, until there are 20,000 lines: a cut one would be refused. */
async function listing(version, extension) {
  const root = join(process.env.DEMO_SRC, version);
  const lines = [];
  for (const file of (await readdir(root, { recursive: true })).sort()) {
    const [, ending] = file.split("/").at(-1).match(/^[^.]+\.(.+)$/) ?? [];
    if (ending === extension && lines.length < 20_000) lines.push(...(await readFile(join(root, file), "utf8")).split("\n"));
  }
  if (lines.length < 20_000) throw new Error(`${version} has ${lines.length} lines of ${extension}`);
  return { name: `${version}.${extension}`, mimeType: "text/plain", buffer: Buffer.from(lines.join("\n")) };
}

/** Questions to the worker and how long their answers took. */
const timed = () => {
  window.answers = {};
  const Plain = window.Worker;
  window.Worker = class extends Plain {
    postMessage(message, ...rest) {
      if (Array.isArray(message)) {
        const [id, question] = message;
        const asked = performance.now();
        const { ask } = JSON.parse(question);
        const hear = ({ data }) => {
          if (data[0] !== id || data[1].startsWith('{"is":"progress"')) return;
          (window.answers[ask] ??= []).push(performance.now() - asked);
          this.removeEventListener("message", hear);
        };
        this.addEventListener("message", hear);
      }
      return super.postMessage(message, ...rest);
    }
  };
};

if (process.env.DEMO_SRC) {
  const files = [await listing("3.4.0", "sass"), await listing("3.5.0", "sass")];
  const context = await browser.newContext({ baseURL: base, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(timed);
  await page.goto("/local");
  await page.locator('[data-test="files"]').setInputFiles(files);
  await page.locator('[data-test="stage-sass"]').click();
  await page.locator('[data-test="change"]').first().waitFor();
  // Each look as written and back aligns anew.
  for (let run = 0; run < runs; run += 1) {
    const before = await page.evaluate(() => window.answers.align.length);
    await page.locator(run % 2 ? 'button:text("by meaning")' : '[data-test="raw"]').click();
    await page.waitForFunction((count) => window.answers.align.length > count, before);
  }
  await page.keyboard.press("e");
  const frames = await page.evaluate(async () => {
    const box = document.querySelector('[data-test="diff"]');
    const times = [];
    let last = await new Promise(requestAnimationFrame);
    for (let frame = 0; frame < 180; frame += 1) {
      box.scrollTop += 510;
      const now = await new Promise(requestAnimationFrame);
      times.push(now - last);
      last = now;
    }
    return times.sort((a, b) => a - b);
  });
  const align = (await page.evaluate(() => window.answers.align)).sort((a, b) => a - b);
  const at = (list, part) => Math.round(list[Math.min(list.length - 1, Math.floor(list.length * part))] * 10) / 10;
  result.align_20000_lines = { runs: align.length, ms_median: at(align, 0.5), ms_worst: at(align, 1) };
  result.scroll_20000_lines = {
    rows_per_frame: 30,
    frame_ms_median: at(frames, 0.5),
    frame_ms_p95: at(frames, 0.95),
    frame_ms_worst: at(frames, 1),
  };
  await context.close();
}
await browser.close();
console.log(JSON.stringify(result, null, 2));
