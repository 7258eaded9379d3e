// Theme, keyboard, narrow windows, saved files.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { drawn, eventually, fits, hashes, part, text } from "../lib/page.mjs";

const TRENDS = "/p/triton/trends?kernel=flex_attention&target=sm_90a,sm_100a&measure=fragment_staging,barrier";
const COMPARE = "/p/triton/compare/3.4.0...3.5.0/flex_attention?target=sm_100a&config=128x64_w8_s2";

export default function define(test) {
  test("use: the theme switch redraws the charts and is remembered", async (page) => {
    await page.goto(TRENDS);
    await drawn(page);
    const line = () => page.locator(".chart .plot path.js-line").first().evaluate((path) => path.style.stroke);
    const light = await line();
    await part(page, "theme").click();
    await part(page, "theme").click();
    assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
    await eventually(async () => (await line()) !== light, true, "the line has its dark colour");
    await page.reload();
    await drawn(page);
    assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  }, { context: { colorScheme: "light" } });

  test("use: arrows walk the changes, with Shift the commits", async (page) => {
    const sha = await hashes(page);
    await page.goto(TRENDS);
    await drawn(page);
    const at = () => new URL(page.url()).searchParams.get("at");
    await page.keyboard.press("ArrowRight");
    await eventually(at, sha["3.3.1"], "the first change");
    await page.keyboard.press("Shift+ArrowLeft");
    await eventually(at, sha["3.2.0"], "the commit before");
    await eventually(() => text(page, "panel").then((t) => t.startsWith("3.2.0")), true, "the panel follows");
  });

  test("use: the card under the pointer says commit, value and stage", async (page) => {
    await page.goto(TRENDS);
    await drawn(page);
    const chart = part(page, "cell-fragment_staging-sm_100a").locator(".chart");
    const box = await chart.boundingBox();
    await page.mouse.move(box.x + (box.width * 3.5) / 7, box.y + 60);
    await part(page, "hover").waitFor();
    const card = await text(page, "hover");
    for (const word of ["3.5.0", "sm_100a", "0 → 20", "▲ +20", "SASS"]) assert.ok(card.includes(word), card);
    await page.mouse.move(box.x + (box.width * 0.5) / 7, box.y + 60);
    await eventually(async () => (await text(page, "hover")).includes("failed"), true, "a failed build says so");
  });

  test("use: scopes are part of the address", async (page) => {
    await page.goto(COMPARE);
    await part(page, "families").waitFor();
    await part(page, "scope-loop").click();
    await eventually(() => new URL(page.url()).searchParams.get("scope"), "loop", "the address has the scope");
    await eventually(async () => (await text(page, "families")).includes("inside any loop"), true, "the table says so");
    await page.goBack();
    await eventually(() => new URL(page.url()).searchParams.get("scope"), null, "Back takes it away");
  });

  test("use: x turns the states around", async (page) => {
    await page.goto(COMPARE);
    await part(page, "families").waitFor();
    await page.keyboard.press("x");
    await eventually(async () => (await text(page, "states")).startsWith("3.5.0...3.4.0"), true, "the order is turned");
    await eventually(() => text(page, "fragment_staging-sass-0"), "20", "the counts are too");
  });

  test("use: search finds kernels, commits and opcodes", async (page) => {
    await page.goto("/p/triton");
    await part(page, "commits").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("flex");
    await page.locator('[data-test="search-results"] a', { hasText: "flex_attention" }).first().waitFor();
    await page.keyboard.press("Enter");
    await part(page, "page-trends").waitFor();
  });

  test("use: tables save as CSV and JSON", async (page) => {
    await page.goto(COMPARE);
    await part(page, "families").waitFor();
    const save = async (button) => {
      const [download] = await Promise.all([page.waitForEvent("download"), part(page, button).click()]);
      return readFile(await download.path(), "utf8");
    };
    assert.ok((await save("save-csv")).includes("SASS,Fragment staging,0,20,20"));
    const json = JSON.parse(await save("save-json"));
    const row = json.rows.find((row) => row.Level === "PTX" && row.Measure === "Fragment staging");
    assert.deepEqual([row["3.4.0"], row["3.5.0"], row["Δ 3.5.0"]], [0, 20, 20]);
  });

  test("use: the plotting library is loaded only where a chart is", async (page) => {
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(COMPARE);
    await part(page, "families").waitFor();
    assert.ok(!asked.some((url) => url.includes("plotly")), "no plotly on the comparison");
    await page.goto(TRENDS);
    await drawn(page);
    assert.equal(asked.filter((url) => url.includes("plotly")).length, 1);
  });

  for (const [name, path, ready] of [
    ["home", "/", "page-home"],
    ["project", "/p/triton", "commits"],
    ["trends", TRENDS, "grid"],
    ["commit", "/p/triton/commits/3.5.0", "matrix"],
    ["compare", COMPARE, "families"],
  ]) {
    test(
      `use: ${name} fits a window of 390 px`,
      async (page) => {
        await page.goto(path);
        await part(page, ready).first().waitFor();
        await fits(page);
      },
      { context: { viewport: { width: 390, height: 844 } } },
    );
  }
}
