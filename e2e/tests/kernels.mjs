// One kernel on every target and in every config. The numbers are those of article 1's census, of demo/expected.tar.zst and of
// the measurement on an H200.

import assert from "node:assert/strict";
import { eventually, fold, part, text } from "../lib/page.mjs";

const CENSUS = "/p/triton/kernels/matmul_census";
const TARGETS = ["sm_80", "sm_90a", "sm_100a", "sm_120a", "gfx90a", "gfx942", "gfx950"];

async function row(page, id) {
  const cells = [];
  for (const target of TARGETS) cells.push(fold(await part(page, `${id}-${target}`).innerText()).replace(/\s+/g, " "));
  return cells;
}

export default function define(test) {
  test("kernels: the census of seven targets at 3.7.1", async (page) => {
    await page.goto(`${CENSUS}?at=3.7.1&config=128x128x64_w8_s3`);
    await part(page, "lowering").waitFor();
    assert.deepEqual(await row(page, "matrix_count"), ["64", "4", "8", "64", "48", "48", "24"]);
    assert.deepEqual(await row(page, "ttir"), ["A", "A", "A", "A", "B", "C", "B"].map((letter) => `${letter} · 165 lines`));
    assert.deepEqual((await row(page, "shared_store")).slice(4), ["54", "26", "54"]);
    assert.equal(await text(page, "tmem-sm_100a"), "128");
    assert.equal(await text(page, "registers-sm_90a"), "128");
    assert.match(await text(page, "matrix-sm_90a"), /wgmma m64n128k16/);
    const layouts = async (target) => (await part(page, `layouts-${target}`).innerText()).trim().split("\n");
    assert.deepEqual(await layouts("gfx90a"), ["1 amd_mfma", "2 blocked", "12 dot_op", "2 swizzled_shared"]);
    assert.deepEqual(await layouts("gfx942"), [
      "1 amd_mfma",
      "1 amd_rotating_shared",
      "3 blocked",
      "12 dot_op",
      "1 linear",
      "1 swizzled_shared",
    ]);
    assert.deepEqual(await layouts("gfx950"), ["1 amd_mfma", "2 blocked", "12 dot_op", "1 linear", "2 swizzled_shared"]);
    assert.equal(await part(page, "ttir-difference").count(), 3, "A-B, A-C and B-C");
  });

  test("kernels: a target's decisions are one click away, and their history another", async (page) => {
    await page.goto(`${CENSUS}?at=3.7.1&config=128x128x64_w8_s3`);
    await part(page, "column-sm_90a").locator("a").click();
    await eventually(() => text(page, "decisions-target"), "sm_90a, read from TTGIR and PTX", "the panel follows");
    assert.match(await text(page, "decision-pipelining"), /pipelined/);
    assert.match(await text(page, "decision-async_copies"), /12/);
    assert.match(await text(page, "metric-tflops"), /85\.28/);
    await part(page, "decision-pipelining").locator("a").click();
    await part(page, "cell-decision:pipelining-sm_90a").waitFor();
    const label = await part(page, "cell-decision:pipelining-sm_90a").getAttribute("aria-label");
    assert.ok(label.includes("3.7.1 pipelined"), label);
  });

  test("kernels: two commits in one table, and a link that names both", async (page) => {
    await page.goto(`${CENSUS}?at=3.7.1&base=3.5.0&config=128x128x64_w8_s3`);
    await part(page, "lowering").waitFor();
    assert.match(await text(page, "layouts-sm_90a"), /was 3 blocked/);
    await part(page, "copy-link").click();
    await eventually(() => text(page, "toast"), "Link copied", "the copy is confirmed");
    const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
    assert.match(link.searchParams.get("at"), /^[0-9a-f]{40}$/);
    assert.match(link.searchParams.get("base"), /^[0-9a-f]{40}$/);
    await part(page, "copy-markdown").click();
    await eventually(() => text(page, "toast"), "Markdown copied", "the copy is confirmed");
    const markdown = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(markdown.includes("| Matrix count | PTX, AMDGCN | 64 |"), markdown);
    assert.ok(markdown.includes(link.href), "the link is inside");
  });

  test("kernels: the space of the H200 says what is dead, double and fast", async (page) => {
    await page.goto("/p/matmul-h200/kernels/matmul/space");
    await part(page, "configs").waitFor();
    const sentence = await text(page, "sentence");
    assert.match(sentence, /^Compiling 60 configs took 75\.1 s\. 10 of them/);
    assert.match(sentence, /6 cannot be launched/);
    assert.equal(await part(page, "point-dead").count(), 6);
    const first = page.locator('[data-test="config"]').first();
    assert.equal(await first.getAttribute("data-config"), "bm128_bn256_bk64_w8_s3_d16");
    assert.match(await first.innerText(), /641\.52/);
    const inert = page.locator('[data-test="same-kernel"]', { hasText: "s1_d1" });
    assert.match(await inert.innerText(), /inert: num_stages/);
    const python = await text(page, "python");
    assert.ok(python.includes("def prune(configs, named_args, **kwargs):"), python);
    await part(page, "copy-python").click();
    await eventually(() => text(page, "toast"), "Python copied", "the copy is confirmed");
  });

  test("kernels: knobs and axes are in the address", async (page) => {
    await page.goto("/p/matmul-h200/kernels/matmul/space");
    await part(page, "heat").waitFor();
    await page.locator('[data-test="chip-x"] select').selectOption("resource:registers");
    await eventually(() => new URL(page.url()).searchParams.get("x"), "resource:registers", "the axis is in the address");
    await part(page, "heat-0").selectOption("num_stages");
    await eventually(() => new URL(page.url()).searchParams.get("heat")?.split(",")[0], "num_stages", "the knob too");
    await page.goBack();
    await page.goBack();
    await eventually(() => new URL(page.url()).search, "", "Back undoes both");
  });

  test("kernels: a space is narrowed by a decision, in the address", async (page) => {
    await page.goto("/p/matmul-h200/kernels/matmul/space");
    await part(page, "configs").waitFor();
    const select = page.locator('[data-test="add-only"] select');
    assert.ok((await select.locator("optgroup").count()) > 3, "options stand by decision");
    await select.selectOption("pipelining:inert");
    await part(page, "filtered").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("only"), "pipelining:inert");
    assert.match(await text(page, "filtered"), /Pipelining = inert: 55 configs left out/);
    assert.equal(await part(page, "config").count(), 5);
    await page.reload();
    await part(page, "filtered").waitFor();
    assert.equal(await part(page, "config").count(), 5);
    await part(page, "only").click();
    await eventually(() => part(page, "config").count(), 60, "without the filter all are back");
  });

  test("kernels: a commit and a lowering are narrowed by the same filters", async (page) => {
    await page.goto("/p/triton/commits/3.7.1");
    await part(page, "matrix").waitFor();
    await page.locator('[data-test="add-only"] select').selectOption("pipelining:inert");
    await part(page, "filtered").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("only"), "pipelining:inert");
    const rows = await part(page, "matrix-row").allInnerTexts();
    assert.ok(rows.some((row) => row.includes("128x128x64_w8_s4_d1")) && !rows.some((row) => row.includes("_d16")), rows.join());
    await part(page, "only").click();
    await eventually(() => part(page, "filtered").count(), 0, "without the filter nothing is left out");

    await page.goto(`${CENSUS}?at=3.7.1&config=128x128x64_w8_s3`);
    await part(page, "lowering").waitFor();
    await page.locator('[data-test="add-only"] select').selectOption("matrix_instruction:wgmma m64n128k16");
    await part(page, "filtered").waitFor();
    assert.match(await text(page, "filtered"), /Matrix instruction = wgmma m64n128k16: 6 builds left out/);
    assert.equal(await page.locator('[data-test^="column-"]').count(), 1);
    await page.reload();
    await part(page, "filtered").waitFor();
    await part(page, "only").click();
    await eventually(() => page.locator('[data-test^="column-"]').count(), 7, "all targets are back");
  });

  test("kernels: pages say what is not there", async (page) => {
    await page.goto("/p/triton/kernels/no_such_kernel");
    await part(page, "error").waitFor();
    assert.match(await text(page, "error"), /there is no kernel/);
  }, { allow: [/404/] });
}
