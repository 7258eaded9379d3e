// From a stage that differs to the lines that differ, laid side by side in the browser.

import assert from "node:assert/strict";
import { eventually, part, text } from "../lib/page.mjs";

const COMPARE = "/p/triton/compare/3.4.0...3.5.0/flex_attention?target=sm_100a&config=128x64_w8_s2";

export default function define(test) {
  test("text: the strip says where the change began and opens the text", async (page) => {
    await page.goto(COMPARE);
    await part(page, "strip-sentence").waitFor();
    const sentence = await text(page, "strip-sentence");
    assert.ok(sentence.startsWith("TTIR is equal; TTGIR:"), sentence);
    assert.ok(sentence.includes("4 ttg.convert_layout fewer"), sentence);
    await part(page, "open-text").click();
    await part(page, "diff").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("stage"), "ttgir");
  });

  test("text: only the rows in sight are drawn, folds open, changes are walked", async (page) => {
    await page.goto(`${COMPARE}&stage=sass`);
    await part(page, "change").first().waitFor();
    assert.match(await text(page, "text-summary"), /changed|removed|added/);
    const drawn = await page.locator(".dr").count();
    assert.ok(drawn > 10 && drawn < 200, `${drawn} rows of thousands are drawn`);
    await page.keyboard.press("j");
    await page.locator(".dr.cur").waitFor();
    const folds = await part(page, "fold").count();
    if (folds > 0) {
      await part(page, "fold").first().click();
      await eventually(async () => (await part(page, "fold").count()) < folds || folds > 40, true, "a fold opens");
    }
  });

  test("text: as written, renumbering counts as change; equal stages have none", async (page) => {
    await page.goto(`${COMPARE}&stage=ttir`);
    await part(page, "text-summary").waitFor();
    await eventually(async () => (await text(page, "text-summary")).length > 0, true, "the summary comes");
    const meaning = await text(page, "text-summary");
    assert.ok(!/\d+ (removed|added)/.test(meaning), meaning);
    await part(page, "raw").click();
    await eventually(async () => (await text(page, "text-summary")) !== meaning, true, "raw differs");
  });
}
