// From a line of one stage to what it became in another.

import assert from "node:assert/strict";
import { api, eventually, fits, part, text } from "../lib/page.mjs";

const COMPARE = "/p/triton/compare/3.4.0...3.5.0/flex_attention?target=sm_100a&config=128x64_w8_s2";

/** The text of a stage of a state, as stored. */
async function blob(page, state, stage) {
  const answer = await api(page, `/projects/triton/compare/3.4.0...3.5.0?kernel=flex_attention&target=sm_100a&config=128x64_w8_s2`);
  const { digest } = answer.builds[0].states[state].artifacts.find((artifact) => artifact.stage === stage && !artifact.form);
  return (await page.request.get(`/api/v1/blobs/${digest}`)).text();
}

/** Lines of PTX that hold an instruction under a `.loc` of a source line, from 1: read as the PTX manual says, by hand. */
function ptxLines(ptx, wanted) {
  const lines = [];
  let [here, open] = [0, false];
  for (const [at, line] of ptx.split("\n").entries()) {
    const code = line.replace(/\/\/.*/, "").replace(/^\s*\{\s*/, "");
    const loc = code.match(/^\s*\.loc\s+\d+\s+(\d+)/);
    if (open) open = !code.includes(";");
    else if (loc) here = Number(loc[1]);
    else if (/^\s*(@!?%?\w+\s+)?[a-z][\w.:]*(\s|;)/.test(code)) {
      if (here === wanted) lines.push(at + 1);
      open = !code.includes(";");
    }
    // Inline assembly closes braces of its own; a function begins anew.
    if (/^\s*\.(visible|entry|func)/.test(line)) here = 0;
  }
  return lines;
}

const lit = (page, pane) => part(page, pane).locator(".ds.lit .no").allInnerTexts();

export default function define(test) {
  test("lines: an operation of TTGIR lights up its PTX, and the link keeps it", async (page) => {
    const [ttgir, ptx] = [await blob(page, 1, "ttgir"), await blob(page, 1, "ptx")];
    const line = ttgir.split("\n").findIndex((line) => line.includes("ttng.tc_gen5_mma")) + 1;
    assert.ok(line > 0, "TTGIR has a matrix product");
    await page.goto(`${COMPARE}&panes=B.ttgir,B.ptx&line=B.ttgir.${line}`);
    await part(page, "pane-right").locator(".ds.lit").first().waitFor();
    const told = await text(page, "selected");
    const [, source] = told.match(/^B\.ttgir\.\d+: [\w.]+:(\d+)/);
    const expected = ptxLines(ptx, Number(source));
    assert.ok(expected.length > 0);
    assert.ok(told.includes(`${expected.length} line`), `${told}: ${expected.length} lines by hand`);
    // The first counterpart is in sight.
    await eventually(async () => (await lit(page, "pane-right"))[0], String(expected[0]), "the first counterpart");
    // Another click moves the selection, and the address with it.
    const other = part(page, "pane-right").locator(".ds.lit").first();
    await other.click();
    await eventually(() => new URL(page.url()).searchParams.get("line"), `B.ptx.${expected[0]}`, "the address names the line");
    assert.match(await text(page, "selected"), new RegExp(`^B\\.ptx\\.${expected[0]}: `));
    await fits(page);
  });

  test("lines: both states of one stage light up, and the source lines are counted", async (page) => {
    await page.goto(`${COMPARE}&stage=ptx`);
    await part(page, "change").first().waitFor();
    await part(page, "sources").locator("summary").click();
    const rows = part(page, "source-line");
    const name = (await rows.first().locator("th").innerText()).trim();
    const counts = (await rows.first().locator("td.num").allInnerTexts()).map((value) => value.trim());
    const source = Number(name.split(":")[1]);
    // One of several instructions on a line of PTX is rare enough that lines and instructions agree here.
    for (const [state, column] of [[0, 0], [1, 2]]) {
      const found = ptxLines(await blob(page, state, "ptx"), source).length;
      assert.equal(counts[column], found === 0 ? "–" : found.toLocaleString("en-US"), `${name} in state ${state}`);
    }
    await rows.first().locator("button").click();
    await eventually(async () => (await text(page, "selected")).includes(name), true, "the source line is selected");
  });

  test("lines: the text of a cubin is our disassembly, and a stage can be looked at alone", async (page) => {
    await page.goto(`${COMPARE}&panes=A.cubin,B.cubin`);
    await part(page, "pane-left").locator(".dr").first().waitFor();
    assert.match(await part(page, "pane-left").innerText(), /\.target sm_100a/);
    const chip = part(page, "chip-left").locator("select");
    await chip.selectOption("A.ttir");
    await eventually(() => new URL(page.url()).searchParams.get("panes"), "A.ttir,B.cubin", "the address follows");
    await eventually(async () => (await part(page, "pane-left").innerText()).includes("tt.func"), true, "TTIR is shown");
  });

  test("lines: an opcode of a family leads to its lines, in a link that can be kept", async (page) => {
    await page.goto(`${COMPARE}&open=fragment_staging`);
    const row = page.locator('tr[data-test="opcode-sass-LDSM.16.M88"]');
    await row.waitFor();
    const counts = (await row.locator("td.num").allInnerTexts()).map((cell) => cell.trim());
    assert.deepEqual(counts.slice(0, 2), ["0", "6"], "the published counts of LDSM.16.M88");
    await row.locator("a").click();
    await page.locator(".dr.cur").waitFor();
    // Not the lines of LDSM.16.M88.4, which begin alike.
    await eventually(() => text(page, "found"), "1 of 6", "all lines of one opcode");
    assert.equal(new URL(page.url()).searchParams.get("find"), '"LDSM.16.M88"');
    await page.reload();
    await eventually(() => text(page, "found"), "1 of 6", "from its address");
    assert.match(await page.locator(".dr.cur").innerText(), /LDSM\.16\.M88 /);
    await part(page, "stage-ptx").click();
    await eventually(() => new URL(page.url()).searchParams.get("find"), null, "another stage spells it otherwise");
    // Of three states, the two that differ most: the reconstruction has 70 of them, as published.
    await page.goto(COMPARE.replace("...3.5.0", "...3.5.0:128x64_w8_s2_injected-convert...3.5.0") + "&open=fragment_staging");
    await row.locator("a").click();
    await eventually(() => new URL(page.url()).searchParams.get("panes"), "A.sass,B.sass", "3.4.0 and the reconstruction");
    await eventually(() => text(page, "found"), "1 of 70", "all lines of the opcode");
  });

  test("lines: search finds every line of either text and opens folds", async (page) => {
    await page.goto(`${COMPARE}&stage=ptx`);
    await part(page, "change").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("tcgen05.mma");
    const rows = (await blob(page, 1, "ptx")).split("\n").filter((line) => line.includes("tcgen05.mma")).length;
    await eventually(async () => Number((await text(page, "found")).match(/^(\d+) line/)?.[1]) >= rows, true, "all are found");
    await page.keyboard.press("Enter");
    await page.locator(".dr.cur").waitFor();
    assert.match(await text(page, "found"), /^1 of \d+/);
    assert.match(await page.locator(".dr.cur").innerText(), /tcgen05\.mma/);
  });

  test("lines: a pane of a stage that is not there says so", async (page) => {
    await page.goto(`${COMPARE}&panes=A.amdgcn,B.ptx`);
    await part(page, "no-pane").waitFor();
    await page.goto(`${COMPARE}&stage=amdgcn`);
    await part(page, "no-side").waitFor();
    await page.goto("/p/triton/compare/3.4.0...3.5.0/flex_attention?target=sm_100a&config=128x64_w8_s2&panes=junk&line=A.ptx.x");
    await part(page, "text").waitFor();
  });
}
