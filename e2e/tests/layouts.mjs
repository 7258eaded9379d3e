// The layout viewer: everything is in the address, nothing is asked of the server.

import assert from "node:assert/strict";
import { api, part, text } from "../lib/page.mjs";

const BLOCKED = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>";
// The conversion of Triton issue 8328, as 3.5.0's TTGIR has both layouts.
const LINEAR =
  "#ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 32]], warp = [[32, 0], [64, 0], [16, 0]], block = []}>";
const STORE = "#ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [32, 1], warpsPerCTA = [4, 2], order = [0, 1]}>";

// A class by its id in reports, and its name on pages.
const CLASSES = { none: "no-op", register: "in-thread", shuffle: "warp shuffle", shared: "through shared memory" };

const address = (query) =>
  `/layouts?${Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&")}`;
const drawn = (page, side) => part(page, `tile-${side}`).and(page.locator("[data-drawn-ms]"));

export default (test) => {
  test("a tile shows the hardware index of the element under the pointer, bit by bit", async (page) => {
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(address({ shape: "128x64", a: BLOCKED, at: "5.17" }));
    await drawn(page, "a").waitFor();
    // libtriton's LinearLayout: lane = 8 · (row mod 4) + column / 8, warp = row / 4 mod 8, register = column mod 8 + 8 · (row / 32).
    const card = await text(page, "element");
    for (const row of [/register\s*1\s*00001/, /lane\s*10\s*01010/, /warp\s*1\s*001/]) assert.match(card, row);
    const box = await part(page, "tile-a").boundingBox();
    await page.mouse.move(box.x + 1, box.y + 1);
    await page.waitForFunction(() => /\(0, 0\)/.test(document.querySelector('[data-test="element"]').textContent));
    assert.deepEqual(asked.filter((url) => url.includes("/api/")), [], "no question to the server");
  });

  test("the conversion of the FlexAttention regression goes through shared memory", async (page) => {
    await page.goto(address({ shape: "128x64", a: LINEAR, b: STORE }));
    await drawn(page, "b").waitFor();
    assert.match(await text(page, "a-to-b"), /through shared memory.*no/);
  });

  test("bank conflicts of a column written to rows without a swizzle", async (page) => {
    const column = "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>";
    const plain = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>";
    await page.goto(address({ shape: "32x32", bits: "32", a: column, b: plain }));
    // 32 lanes write a column of rows of 128 bytes: one bank serves them all.
    assert.match(await text(page, "access"), /32-way bank conflict/);
  });

  test("what the algebra does not take is refused with the reason", async (page) => {
    await page.goto(address({ shape: "100x64", a: BLOCKED }));
    assert.match(await text(page, "refused"), /100, not a power of two/);
    await page.goto(address({ shape: "128x64", a: "#ttg.hexagonal<{x = 1}>", b: BLOCKED }));
    assert.match(await text(page, "refused"), /hexagonal is not known/);
    await drawn(page, "b").waitFor();
  });

  test("typing a layout changes the address and the tile", async (page) => {
    await page.goto("/layouts");
    await drawn(page, "a").waitFor();
    await part(page, "text-b").fill(STORE);
    await part(page, "text-b").blur();
    await drawn(page, "b").waitFor();
    assert.match(page.url(), /b=%23ttg\.blocked/);
    await page.reload();
    await drawn(page, "b").waitFor();
  });

  test("layouts: a conversion of a kernel's decisions is drawn with the class that its report says", async (page) => {
    const answer = await api(page, "/projects/triton/kernels/flex_attention/lowering?at=3.5.0&config=128x64_w8_s2");
    const column = answer.targets.find(({ target }) => target === "sm_100a");
    const decided = column.decisions.filter(({ kind }) => kind === "conversions");
    assert.ok(decided.some(({ subject }) => subject === "shared"), "the conversion of the regression");
    await page.goto("/p/triton/kernels/flex_attention?at=3.5.0&config=128x64_w8_s2&target=sm_100a");
    const list = part(page, "layouts");
    await list.waitFor();
    await list.locator("summary").click();
    for (const { subject, line } of decided) {
      const link = list.locator(`[data-kind="conversion"][data-at="${line}"]`);
      assert.equal(await link.innerText(), CLASSES[subject]);
      const target = await link.getAttribute("href");
      const picture = await page.context().newPage();
      await picture.goto(target);
      await drawn(picture, "a").waitFor();
      await drawn(picture, "b").waitFor();
      assert.match(await text(picture, "a-to-b"), new RegExp(`^A → B ${CLASSES[subject]} `));
      await picture.close();
    }
    // The evidence of a decision leads to the same picture.
    const evidence = page.locator('[data-test="decisions"] .ev [data-kind="conversion"]').first();
    assert.equal(await evidence.innerText(), CLASSES[decided[0].subject]);
    await evidence.click();
    await drawn(page, "b").waitFor();
  });

  test("layouts: a conversion in the text of a stage is one click away from its picture", async (page) => {
    await page.goto("/p/triton/compare/3.4.0...3.5.0/flex_attention?target=sm_100a&config=128x64_w8_s2&panes=B.ttgir,B.ptx");
    await part(page, "pane-left").waitFor();
    const link = part(page, "pane-left").locator('[data-kind="layout"]').first();
    const row = await link.locator("xpath=ancestor::*[@data-line]").innerText();
    assert.match(row, /#\w+ = #ttn?g\./, "a layout is noted where it is defined");
    await part(page, "find").fill("convert_layout");
    await page.keyboard.press("Enter");
    const conversion = part(page, "pane-left").locator('[data-kind="conversion"]').first();
    const says = await conversion.innerText();
    await conversion.click();
    await drawn(page, "a").waitFor();
    await drawn(page, "b").waitFor();
    assert.match(await text(page, "a-to-b"), new RegExp(`^A → B ${says} `));
    await page.goBack();
    await part(page, "pane-left").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("line"), null, "following a link selects no line");
  });
};
