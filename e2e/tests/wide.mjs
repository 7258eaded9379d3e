// Tables wider than the window: the table scrolls, not the page, and says what a row is about all the while.

import assert from "node:assert/strict";
import { fits, part } from "../lib/page.mjs";

const STATE = ";kernel=flex_attention";
const STATES = [`3.4.0;target=sm_100a${STATE}`, `3.5.0:128x64_w8_s2_injected-convert;target=sm_100a${STATE}`, `3.4.0;target=gfx942${STATE}`, `3.5.0;target=gfx942${STATE}`];
const WIDE = `/p/triton/compare/${STATES.join("...")}?config=128x64_w8_s2&open=fragment_staging`;

/** Scrolls a table to its end; true when there was anything to scroll. */
async function toTheEnd(table) {
  return table.evaluate((table) => {
    const box = table.closest(".scroll");
    box.scrollLeft = box.scrollWidth;
    return box.scrollLeft > 0;
  });
}

/** How far the first cells of the rows in sight are from the left edge of what scrolls, the farthest. */
async function firstColumn(table) {
  return table.evaluate((table) => {
    const left = table.closest(".scroll").getBoundingClientRect().left;
    const heads = [...table.querySelectorAll('tbody th[scope="row"], thead tr:last-child th:first-child')];
    return Math.max(...heads.map((head) => Math.abs(head.getBoundingClientRect().left - left)));
  });
}

export default function define(test) {
  for (const width of [1440, 390]) {
    test(
      `wide: four states of two vendors scroll in their table at ${width} pixels`,
      async (page) => {
        await page.goto(WIDE);
        await part(page, "families").waitFor();
        const table = part(page, "families").locator("table");
        assert.ok(await toTheEnd(table), "there is more than the window holds");
        assert.ok((await firstColumn(table)) <= 1, "families stay in sight");
        await fits(page);
        for (const name of ["resources", "toolchains", "explanation"]) {
          const other = part(page, name).locator("table").first();
          await toTheEnd(other);
          assert.ok((await firstColumn(other)) <= 1, `first column of ${name}`);
        }
        await fits(page);
      },
      { context: { viewport: { width, height: 900 } } },
    );
  }

  test("wide: the commit page's matrix keeps its kernels at 390 pixels", async (page) => {
    await page.goto("/p/triton/commits/3.5.0");
    const table = part(page, "matrix");
    await table.waitFor();
    assert.ok(await toTheEnd(table));
    assert.ok((await firstColumn(table)) <= 1, "kernels stay in sight");
    await fits(page);
  }, { context: { viewport: { width: 390, height: 844 } } });
}
