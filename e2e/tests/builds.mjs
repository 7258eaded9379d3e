// Any builds side by side, and why builds of one source differ.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { api, eventually, fold, part, text } from "../lib/page.mjs";

const CENSUS = "/p/triton/compare/3.7.1:128x128x64_w8_s4_d16...3.7.1:128x128x64_w8_s4_d1/matmul_census?target=sm_90a";

export default function define(test) {
  test("builds: an alignment of 1 is on top, with what it leads to", async (page) => {
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(CENSUS);
    await part(page, "chain").waitFor();
    const chain = await text(page, "chain");
    const steps = ["tt.divisibility = 16 → nothing known", "load a: 16 bytes", "16 of 16 bytes → none", "num_stages = 4 is inert"];
    let at = -1;
    for (const step of steps) {
      const next = chain.indexOf(step);
      assert.ok(next > at, `${step} in order: ${chain}`);
      at = next;
    }
    const first = fold(await part(page, "explained").first().innerText());
    assert.match(first, /^Argument a_ptr, b_ptr, c_ptr and 8 more/);
    assert.deepEqual(asked.filter((path) => path.endsWith("/report")), [], "no report is asked for");
  });

  test("builds: another target is chosen for one state, a state is added and removed", async (page) => {
    await page.goto("/p/triton/compare/3.7.1...3.7.1/softmax?target=sm_90a&config=b2048_w4_s3");
    await part(page, "state").first().waitFor();
    await part(page, "edit-states").locator("summary").click();
    const row = part(page, "state-row").nth(1);
    await row.locator('[data-test="chip-target"] select').selectOption("gfx942");
    await eventually(() => page.url().includes("3.7.1...3.7.1;target=gfx942/softmax"), true, "the address names the target");
    await eventually(() => part(page, "state").nth(1).innerText().then((card) => card.includes("on gfx942")), true, "the card, too");
    await part(page, "add-state").click();
    await eventually(() => part(page, "state").count(), 3, "a third state");
    await part(page, "state-row").nth(2).getByRole("button", { name: "Remove state C" }).click();
    await eventually(() => part(page, "state").count(), 2, "two again");
  });

  test("builds: the picture of a trend is at an address and shows its values", async (page) => {
    await page.goto("/p/triton/trends?kernel=flex_attention&target=sm_100a&measure=fragment_staging");
    const href = await part(page, "chart-svg").getAttribute("href");
    const answer = await page.request.get(href);
    assert.equal(answer.headers()["content-type"], "image/svg+xml");
    const trend = await api(page, "/projects/triton/trends?kernel=flex_attention&target=sm_100a&measure=fragment_staging");
    const picture = await answer.text();
    for (const step of trend.series[0].steps.filter((step) => step.value !== null)) {
      assert.ok(picture.includes(`>${step.value}<`), `${step.value} is written`);
    }
    // The same in the reader's theme: after "follow system" and "light" comes "dark".
    for (let n = 0; n < 2; n += 1) await part(page, "theme").click();
    await eventually(() => part(page, "chart-svg").getAttribute("href"), `${href}&theme=dark`, "the address names the theme");
    const dark = await (await page.request.get(`${href}&theme=dark`)).text();
    assert.ok(picture.includes('fill="#ffffff"') && !dark.includes("#ffffff"), "no white paper in the dark");
    const [, width, height] = picture.match(/<svg[^>]* width="(\d+)" height="(\d+)"/).map(Number);
    const saved = page.waitForEvent("download");
    await part(page, "chart-png").click();
    const download = await saved;
    assert.equal(download.suggestedFilename(), "trends.png");
    const png = await readFile(await download.path());
    // Signature, then the header chunk with width and height (PNG specification, 5.2 and 11.2.2).
    assert.deepEqual([...png.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [2 * width, 2 * height]);
    // Not one colour: a canvas of nothing packs into next to nothing.
    assert.ok(png.length > 5_000, `${png.length} bytes`);
  });
}
