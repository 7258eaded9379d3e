// Tables beside a page's large one are copied with the address they came from, too.

import assert from "node:assert/strict";
import { join } from "node:path";
import { api, eventually, hashes, part, text } from "../lib/page.mjs";

/** What a table's button puts into the clipboard: its cells by line, and the address below it. */
async function copied(page, panel) {
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await panel.locator('[data-test="copy-table"]').first().click();
  const read = () => page.evaluate(() => navigator.clipboard.readText());
  await eventually(async () => (await read()).length > 0, true, "the clipboard has it");
  const lines = (await read()).trim().split("\n");
  const rows = lines.filter((line) => line.startsWith("|")).map((line) => line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim()));
  // The second line only aligns.
  return { title: lines[0], head: rows[0], rows: rows.slice(2), link: lines.at(-1) };
}

export default function define(test) {
  test("exports: a step of a trend is copied with the address of its comparison", async (page) => {
    const sha = await hashes(page);
    await page.goto(`/p/triton/trends?kernel=flex_attention&target=sm_100a&at=${sha["3.5.0"]}`);
    await part(page, "panel-families").waitFor();
    const table = await copied(page, part(page, "panel"));
    assert.deepEqual(table.head, ["SASS", "3.4.0", "3.5.0", "Δ"]);
    // The published change.
    assert.deepEqual(table.rows.find((row) => row[0] === "Fragment staging"), ["Fragment staging", "0", "20", "+20"]);
    const link = await part(page, "open-comparison").getAttribute("href");
    assert.equal(table.link, new URL(link, page.url()).href);
  });

  test("exports: tables of a lowering name commit and config even where the address does not", async (page) => {
    const sha = await hashes(page);
    await page.goto("/p/triton/kernels/matmul_census");
    await part(page, "families").waitFor();
    const families = await copied(page, part(page, "families"));
    const answer = await api(page, "/projects/triton/kernels/matmul_census/lowering");
    assert.deepEqual(families.head, ["Family", ...answer.targets.map((column) => column.target)]);
    const tensor = (column) => column.levels.find((level) => level.stage !== "ptx")?.families.find(([name]) => name === "tensor_compute")?.[1];
    const row = families.rows.find((row) => row[0].startsWith("Tensor compute"));
    assert.deepEqual(row.slice(1), answer.targets.map((column) => String(tensor(column))));
    const link = new URL(families.link);
    assert.equal(link.searchParams.get("at"), answer.commit.sha);
    assert.equal(link.searchParams.get("config"), answer.config);
    assert.ok(Object.values(sha).includes(answer.commit.sha));
    const decisions = await copied(page, part(page, "decisions"));
    const target = (await text(page, "decisions-target")).split(",")[0];
    assert.equal(new URL(decisions.link).searchParams.get("target"), target);
    const column = answer.targets.find((column) => column.target === target);
    assert.equal(decisions.rows.length, Object.keys(column.values).length + column.decisions.length);
    const parts = await copied(page, part(page, "ttir-differences"));
    assert.equal(parts.rows.length, answer.ttir_differences.length);
  });

  test("exports: two knobs of a config space are copied as they are drawn", async (page) => {
    await page.goto("/p/matmul-h200/kernels/matmul/space");
    await part(page, "heat").waitFor();
    const table = await copied(page, part(page, "heat"));
    const drawn = await part(page, "heat").locator("tbody tr").count();
    assert.equal(table.rows.length, drawn);
    assert.equal(table.rows[0].length, await part(page, "heat").locator("thead th").count());
    const first = await part(page, "heat-cell").first().locator("b").innerText();
    assert.ok(table.rows[0].includes(first), `${first} in ${table.rows[0]}`);
    assert.match(new URL(table.link).searchParams.get("at"), /^[0-9a-f]{40}$/);
  });

  test("exports: files of this machine are copied as the list has them, what is left out as well", async (page) => {
    await page.goto("/local");
    await part(page, "drop").waitFor();
    await part(page, "folder").setInputFiles(join(process.env.DEMO_SRC, "3.5.0", "softmax", "sm_90a"));
    await part(page, "found").waitFor();
    await part(page, "progress").waitFor({ state: "detached" });
    const shown = await part(page, "local-build").count();
    const table = await copied(page, part(page, "found"));
    assert.equal(table.rows.length, shown);
    assert.ok(table.rows.every((row) => row[0] === "softmax" && row[1] === "sm_90a"), JSON.stringify(table.rows[0]));
    assert.equal(table.link, new URL("/local", page.url()).href);
    await part(page, "not-understood").evaluate((details) => {
      details.open = true;
    });
    const left = await copied(page, part(page, "not-understood"));
    assert.equal(left.rows.length, await part(page, "left-out").count());
  });

  test("exports: basis vectors, the element in view and a conversion are copied", async (page) => {
    const layout = (warps) => encodeURIComponent(`#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [${warps}], order = [1, 0]}>`);
    await page.goto(`/layouts?shape=16x32&a=${layout("2, 1")}&b=${layout("1, 2")}&at=3.5`);
    await part(page, "conversion").waitFor();
    const side = part(page, "side-a");
    await side.locator('[data-test="bases"] summary').click();
    const bases = await copied(page, side.locator('[data-test="bases"]'));
    // Of 16 × 32 elements, one bit of the index each: log2(512) = 9 at least, and no element is written twice here.
    assert.equal(bases.rows.length, 9);
    assert.deepEqual(bases.rows.find((row) => row[0] === "lane" && row[1] === "1"), ["lane", "1", "(0, 4)"]);
    const element = await copied(page, side.locator('[data-test="element"]'));
    // Row 3, column 5: lane 3 · 8 + 5 div 4 = 25, register 5 mod 4 = 1.
    assert.equal(element.rows.find((row) => row[0] === "lane")[1], "25");
    assert.equal(element.rows.find((row) => row[0] === "register")[1], "1");
    assert.equal(element.link, page.url());
    const conversion = await copied(page, part(page, "conversion"));
    assert.deepEqual(conversion.rows.map((row) => row[0]), ["A → B", "B → A"]);
  });
}
