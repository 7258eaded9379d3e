// The dossier page: stated figures, judged by the server against the demo's builds.

import assert from "node:assert/strict";
import { fold, part, text } from "../lib/page.mjs";

export default (test) => {
  test("the articles' figures stand as recorded", async (page) => {
    await page.goto("/p/triton/dossier");
    await part(page, "verdict").waitFor();
    const rows = page.locator('[data-test="assertion"]');
    assert.ok((await rows.count()) >= 60, `${await rows.count()} assertions`);
    for (const status of ["broken", "missing"]) {
      assert.equal(await page.locator(`[data-status="${status}"]`).count(), 0, status);
    }
    const copies = fold(await page.locator('[id="integer.cp-async"]').innerText());
    assert.match(copies, /reproduced.*70, 38, 22.*70, 38, 22/s);
    await part(page, "only-differs").click();
    await page.waitForFunction(() => !document.querySelector('[data-status="reproduced"]'));
    assert.match(fold(await page.locator('[id="portable.ttir-identical"]').innerText()), /1\s*3/);
  });

  test("a dossier of one's own is judged, and a malformed one is refused with its place", async (page) => {
    await page.goto("/p/triton/dossier");
    await part(page, "verdict").waitFor();
    const mine = (figure, expected) =>
      `title = "mine"\n[[assertion]]\nid = "a"\nsource = "me"\nwhat = "w"\nkernel = "softmax"\ntarget = "sm_90a"\nconfig = "b2048_w4_s3"\nfigure = ${figure}\nexpected = ${expected}\n`;
    const choose = (body) =>
      part(page, "dossier-file").setInputFiles({ name: "mine.toml", mimeType: "application/toml", buffer: Buffer.from(body) });
    await choose(mine('"resource:warps"', 8));
    await page.locator('[data-status="broken"]').waitFor();
    assert.match(fold(await page.locator('[data-test="assertion"]').innerText()), /8.*4/s);
    await choose(mine("resource", 8));
    await part(page, "error").waitFor();
    assert.match(await text(page, "error"), /line 9, column 10/);
  }, { allow: [/422/] });
};
