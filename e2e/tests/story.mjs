// The road of the first visit: project → trends → opcodes → step → comparison → link → another browser. The numbers are
// counted independently in demo/expected.tar.zst.

import assert from "node:assert/strict";
import { drawn, eventually, fold, hashes, part, text } from "../lib/page.mjs";

const TRENDS = "/p/triton/trends?kernel=flex_attention";
const RELEASES = ["3.2.0", "3.3.1", "3.4.0", "3.5.0", "3.5.1", "3.7.1", "3.9.0"];

async function numbers(page) {
  const cell = async (name) => fold(await part(page, name).innerText());
  return {
    staging: [await cell("fragment_staging-sass-0"), await cell("fragment_staging-sass-1")],
    stagingPtx: [await cell("fragment_staging-ptx-0"), await cell("fragment_staging-ptx-1")],
    all: [await cell("all-sass-0"), await cell("all-sass-1")],
    still: await cell("did-not-move"),
  };
}

export default function define(test, suite) {
  test("story: the project shows its seven releases", async (page) => {
    await page.goto("/p/triton");
    await part(page, "commits").waitFor();
    await part(page, "kernel").first().waitFor();
    const names = await page.locator('[data-test="commit"] th a').allInnerTexts();
    assert.deepEqual(names, [...RELEASES].reverse());
    assert.ok((await part(page, "kernel").allInnerTexts()).some((row) => row.includes("flex_attention")));
    const shares = (await part(page, "heat-cell").allInnerTexts()).map((cell) => cell.match(/^(\d+)\/(\d+)/)).filter(Boolean);
    assert.ok(shares.length > 20, "most cells have a commit before them");
    // Shares of the instructions that moved, counted from the artifacts with another program.
    const row = page.locator('[data-test="heat"] tr', { hasText: "sm_80" }).locator('[data-test="heat-cell"]');
    assert.deepEqual(await row.allInnerTexts(), [
      "3 builds", "3/3 · 11 %", "3/3 · 4 %", "3/3 · 10 %", "0/3", "3/3 · 30 % · 1 new", "3/3 · 15 %",
    ]);
    assert.equal(await page.locator('[data-test="commit"] td').last().innerText(), "first");
    for (const [text, changed, whole] of shares) assert.ok(Number(changed) <= Number(whole), `${text}: more changed than there are`);
  });

  test("story: a commit counts the changes that the project's list counts", async (page) => {
    await page.goto("/p/triton");
    const line = page.locator('[data-test="commit"]', { hasText: "Release 3.9.0" });
    assert.equal(await line.locator("td").last().innerText(), "31 of 37");
    await line.locator("th a").click();
    await part(page, "matrix").waitFor();
    assert.match(await page.locator(".head .sub").innerText(), /37 builds · 31 changed · 0 new · 0 failed/);
    await page.goto("/p/triton/commits/3.5.0");
    await part(page, "matrix").waitFor();
    // Two kernels that the compiler died of at 3.4.0, and one with other opcodes of the same families.
    assert.equal(await part(page, "cell-compiles").count(), 2);
    assert.equal(await part(page, "cell-opcodes").count(), 1);
    await page.goto("/p/triton/compare/3.4.0...3.5.0");
    await part(page, "changed-build").first().waitFor();
    for (const row of await part(page, "changed-build").all()) {
      assert.notEqual((await row.locator("td.wrap").innerText()).trim(), "", await row.locator("th").innerText());
    }
  });

  test("story: staging on sm_100a goes 0 → 20 at 3.5.0 while tensor compute stays at 64", async (page) => {
    await page.goto(`${TRENDS}&target=sm_100a&measure=fragment_staging,tensor_compute,fragment_staging@ptx`);
    await drawn(page);
    const label = (measure) => part(page, `cell-${measure}-sm_100a`).getAttribute("aria-label");
    const staging = "3.2.0 –, 3.3.1 0, 3.4.0 0, 3.5.0 20, 3.5.1 20, 3.7.1 20, 3.9.0 20";
    assert.ok((await label("fragment_staging")).endsWith(staging), await label("fragment_staging"));
    assert.ok((await label("fragment_staging@ptx")).includes("3.4.0 0, 3.5.0 20"), "PTX counts 20 too");
    assert.ok((await label("tensor_compute")).includes("3.4.0 64, 3.5.0 64, 3.5.1 64, 3.7.1 64, 3.9.0 64"));
    // 3.2.0 cannot compile for sm_100a: a hatched column, no gap and no zero.
    assert.equal(await part(page, "cell-fragment_staging-sm_100a").locator(".plot .barlayer .point").count(), 1);
    assert.equal(await part(page, "cell-fragment_staging-sm_100a").locator('[data-test="step"]').count(), 1);
  });

  test("story: opcodes are found as one types and join the chart", async (page) => {
    await page.goto(`${TRENDS}&target=sm_100a&measure=fragment_staging`);
    await drawn(page);
    for (const [typed, measure] of [["LDSM", "sass:LDSM"], ["bar.sync", "ptx:bar.sync"], ["ULOP3.LUT", "sass:ULOP3.LUT"]]) {
      await part(page, "measure-search").fill(typed);
      await page.locator(`[data-test="measure-hit"][data-measure="${measure}"]`).click();
      await part(page, `cell-${measure}-sm_100a`).waitFor();
    }
    await drawn(page);
    const url = new URL(page.url());
    assert.equal(url.searchParams.get("measure"), "fragment_staging,sass:LDSM,ptx:bar.sync,sass:ULOP3.LUT");
    const label = await part(page, "cell-sass:ULOP3.LUT-sm_100a").getAttribute("aria-label");
    for (const value of ["3.4.0 120", "3.5.0 121", "3.7.1 15", "3.9.0 13"]) assert.ok(label.includes(value), label);
    await page.goBack();
    await eventually(() => part(page, "cell-sass:ULOP3.LUT-sm_100a").count(), 0, "Back takes the last measure away");
  });

  test("story: a step opens its comparison, the link opens elsewhere with the same numbers", async (page) => {
    const sha = await hashes(page);
    await page.goto(`${TRENDS}&target=sm_100a&measure=fragment_staging`);
    await drawn(page);
    await part(page, "cell-fragment_staging-sm_100a").locator('[data-test="step"]').click();
    await part(page, "page-compare").waitFor();
    await part(page, "families").waitFor();
    assert.equal(new URL(page.url()).pathname, `/p/triton/compare/${sha["3.4.0"]}...${sha["3.5.0"]}/flex_attention`);
    assert.ok((await text(page, "states")).startsWith("3.4.0...3.5.0"), await text(page, "states"));
    const here = await numbers(page);
    assert.deepEqual(here.staging, ["0", "20"]);
    assert.deepEqual(here.stagingPtx, ["0", "20"]);
    assert.ok(here.still.includes("tensor compute 64 | 64"), here.still);

    await page.locator('[data-test="family-fragment_staging"] button').click();
    await page.locator('[data-test^="opcode-ptx-ldmatrix"]').first().waitFor();
    const last = async (prefix) => {
      const rows = await page.locator(`tr[data-test^="${prefix}"]`).all();
      let sum = 0;
      for (const row of rows) sum += Number(fold(await row.locator('td[data-test$="-1"]').innerText()));
      return sum;
    };
    assert.equal(await last("opcode-ptx-ldmatrix"), 14);
    assert.equal(await last("opcode-ptx-stmatrix"), 6);

    await part(page, "copy-link").click();
    await eventually(() => text(page, "toast"), "Link copied", "the copy is confirmed");
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const other = await suite.visit();
    await other.goto(link);
    await part(other, "families").waitFor();
    assert.deepEqual(await numbers(other), here);
    assert.equal(await other.locator('tr[data-test^="opcode-ptx-ldmatrix"]').count() > 0, true, "open rows are in the link");
    assert.deepEqual(other.problems, []);
    await other.context().close();

    await page.goBack();
    await part(page, "page-trends").waitFor();
    await eventually(() => text(page, "panel").then((t) => t.startsWith("3.5.0")), true, "Back returns to the selected step");
  });

  test("story: the released tags work as revisions too", async (page) => {
    await page.goto("/p/triton/compare/3.4.0...3.5.0/flex_attention?target=sm_100a&config=128x64_w8_s2");
    await part(page, "families").waitFor();
    assert.deepEqual((await numbers(page)).staging, ["0", "20"]);
    assert.match(await page.title(), /flex_attention/);
  });

  test("story: the published case comes out of the saved view, with what did not move", async (page) => {
    const states = "3.4.0...3.5.0:128x64_w8_s2_injected-convert...3.5.0";
    await page.goto(
      `/p/triton/compare/${states}/flex_attention?target=sm_100a&config=128x64_w8_s2&view=ptx%2Bsass` +
        "&open=fragment_staging,uniform_scalar",
    );
    await part(page, "families").waitFor();
    const row = async (name) => (await part(page, name).locator("td").allInnerTexts()).map(fold);
    assert.deepEqual(await row("view-article2_tensor_compute"), ["128", "128", "128"]);
    assert.deepEqual(await row("view-article2_staging"), ["0", "296", "40"]);
    assert.equal(await part(page, "reconstruction").count(), 1);
    const counts = (cells) => cells.filter((cell) => cell !== "").slice(0, 3);
    assert.deepEqual(counts(await row("opcode-sass-ULOP3.LUT")), ["120", "121", "121"]);
    assert.deepEqual(counts(await row("opcode-sass-USHF.R.U32.HI")), ["114", "112", "112"]);
    const x1 = await page.locator('tr[data-test*="ldmatrix"][data-test*="x1"] td').allInnerTexts();
    assert.deepEqual(counts(x1.map(fold)), ["0", "70", "6"]);
  });

  test("story: Markdown of the comparison holds the numbers and the link", async (page) => {
    await page.goto("/p/triton/compare/3.4.0...3.5.0/flex_attention?target=sm_100a&config=128x64_w8_s2");
    await part(page, "families").waitFor();
    await part(page, "copy-markdown").click();
    await eventually(() => text(page, "toast"), "Markdown copied", "the copy is confirmed");
    const markdown = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(markdown.includes("| SASS | Fragment staging | 0 | 20 | +20 |"), markdown);
    assert.ok(markdown.trim().endsWith("/p/triton/compare/3.4.0...3.5.0/flex_attention?target=sm_100a&config=128x64_w8_s2"), markdown);
  });
}
