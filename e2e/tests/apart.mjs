// A drill-down where a side is missing: lost from the disk, never compiled, of another stage, or too long to show.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { api, eventually, fits, part, text } from "../lib/page.mjs";

const digestOf = (bytes) => createHash("sha256").update(bytes).digest("hex");
const ptx = (body) => `.version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n${body}\tret;\n}\n`;

/** Two commits of one build in the project of the tests, with one text each. */
async function pushTwo(page, kernel, shas, texts) {
  const headers = { authorization: `Bearer ${process.env.TOKEN}` };
  for (const [n, content] of texts.entries()) {
    const bytes = Buffer.from(content);
    const put = await page.request.put(`/api/v1/projects/hostile/blobs/${digestOf(bytes)}`, {
      headers: { ...headers, "content-type": "application/octet-stream" },
      data: bytes,
    });
    assert.ok(put.ok(), await put.text());
    const artifacts = [{ stage: "ptx", digest: digestOf(bytes) }];
    const build = { kernel, target: "sm_90a", config: { label: "c" }, status: "ok", artifacts };
    const push = await page.request.post("/api/v1/projects/hostile/pushes", {
      headers,
      data: { commit: { sha: shas[n], committed_at: 1_700_000_100 + n, subject: kernel }, builds: [build] },
    });
    assert.ok(push.ok(), await push.text());
  }
  return `/p/hostile/compare/${shas.join("...")}/${kernel}?target=sm_90a&config=c`;
}

export default function define(test) {
  test(
    "apart: a text that is lost from the server's disk is named, and its counts stay",
    async (page) => {
      const texts = [ptx("\tbar.sync 0;\n"), ptx("\tbar.sync 0;\n\tbar.sync 1;\n\tmembar.gl;\n")];
      const compare = await pushTwo(page, "lost", ["10".repeat(20), "11".repeat(20)], texts);
      const lost = digestOf(Buffer.from(texts[1]));
      await rm(join(process.env.DATA, "blobs", lost.slice(0, 2), `${lost}.zst`));
      await page.goto(`${compare}&stage=ptx`);
      const error = part(page, "text").locator('[data-test="error"]');
      await error.waitFor();
      const words = await error.innerText();
      assert.ok(words.includes(lost) && words.includes("is gone from the server's disk"), words);
      assert.match(words, /push the same files again/);
      assert.equal(await text(page, "all-ptx-0"), "2");
      assert.equal(await text(page, "all-ptx-1"), "4");
      await fits(page);
    },
    { allow: [/410/] },
  );

  test("apart: beside a failed build the other text is offered alone", async (page) => {
    const compare = "/p/triton/compare/3.2.0...3.4.0/flex_attention?target=sm_100a&config=128x64_w8_s2";
    await page.goto(`${compare}&stage=ptx`);
    await part(page, "failed").waitFor();
    assert.match(await text(page, "one-side"), /^Only 3\.4\.0 has PTX as text/);
    await part(page, "one-side").locator("a").click();
    await part(page, "pane-left").locator(".dr").first().waitFor();
    assert.equal(new URL(page.url()).searchParams.get("panes"), "B.ptx,B.ptx");
    await page.goto(`${compare}&panes=A.ptx,B.ptx`);
    await part(page, "no-pane").waitFor();
  });

  test("apart: of two vendors, stages only one has are not aligned; any two texts stand side by side", async (page) => {
    const compare = "/p/triton/compare/3.7.1...3.7.1;target=gfx942/softmax?target=sm_90a&config=b2048_w4_s3";
    await page.goto(`${compare}&stage=ptx`);
    await part(page, "one-side").waitFor();
    assert.match(await text(page, "one-side"), /has PTX as text: there is nothing to lay beside it/);
    await page.goto(`${compare}&panes=A.ptx,B.amdgcn`);
    await part(page, "pane-right").locator(".dr").first().waitFor();
    assert.match(await part(page, "pane-left").innerText(), /\.target sm_90a/);
    assert.match(await part(page, "pane-right").innerText(), /amdgcn|gfx942/);
    await fits(page);
  });

  test("apart: brackets change the stage of the pane that has the keyboard, which keeps it", async (page) => {
    await page.goto("/p/triton/compare/3.4.0...3.5.0/flex_attention?target=sm_100a&config=128x64_w8_s2&panes=A.ttgir,B.ttgir");
    const panes = () => new URL(page.url()).searchParams.get("panes");
    await part(page, "pane-right").locator(".dr").first().waitFor();
    await part(page, "pane-right").focus();
    for (const expected of ["A.ttgir,B.llir", "A.ttgir,B.ptx"]) {
      await page.keyboard.press("]");
      await eventually(panes, expected, "the right pane goes down");
      await eventually(() => page.evaluate(() => document.activeElement?.dataset?.test), "pane-right", "and keeps the keyboard");
    }
    await part(page, "pane-left").focus();
    await page.keyboard.press("[");
    await eventually(panes, "A.ttir,B.ptx", "the left pane goes up");
  });

  test("apart: a config that a state lacks leads to the nearest it has", async (page) => {
    await page.goto("/p/triton/compare/3.4.0...3.5.0/flex_attention?target=sm_100a&config=128x64_w8_s2_injected-convert");
    await part(page, "missing").waitFor();
    const nearest = part(page, "nearest").locator("a");
    assert.equal((await nearest.innerText()).trim(), "128x64_w8_s2");
    await nearest.click();
    await eventually(() => part(page, "missing").count(), 0, "both states have a build");
    // As published: no staging at 3.4.0, 148 in the reconstruction.
    await eventually(() => text(page, "fragment_staging-sass-0"), "0", "3.4.0");
    assert.equal(await text(page, "fragment_staging-sass-1"), "148");
  });

  test("apart: of a line of a megabyte the beginning is shown and the rest counted", async (page) => {
    const long = (letter) => ptx(`\tbar.sync 0; // ${letter}${"x".repeat(1_000_000)}\n`);
    const compare = await pushTwo(page, "long", ["20".repeat(20), "21".repeat(20)], [long("a"), long("b")]);
    await page.goto(`${compare}&panes=A.ptx,B.ptx`);
    await part(page, "cut").first().waitFor();
    const line = long("a").split("\n").find((line) => line.length > 1_000_000);
    assert.equal((await text(page, "cut")).replace(/\D/g, ""), String(line.length - 1_200));
    await page.goto(`${compare}&stage=ptx`);
    await part(page, "text-summary").waitFor();
    await eventually(async () => (await text(page, "text-summary")).length > 0, true, "they are aligned");
  });

  test("apart: the list of changed builds is ordered by any column, in the page, the link and the table", async (page) => {
    await page.goto("/p/triton/compare/3.4.0...3.5.0");
    await part(page, "changed-builds").waitFor();
    const { builds } = await api(page, "/projects/triton/compare/3.4.0...3.5.0");
    const shown = () => part(page, "changed-build").evaluateAll((rows) => rows.map((row) => row.querySelector("th a").innerText).join());
    const registers = (build) => {
      const values = build.resources.find((row) => row.resource === "registers")?.values ?? [];
      const [first, last] = [values.at(0) ?? null, values.at(-1) ?? null];
      return first === null || last === null ? -1 : Math.abs(last - first);
    };
    const orders = {
      kernel: (a, b) => (a.kernel.name < b.kernel.name ? -1 : a.kernel.name > b.kernel.name ? 1 : a.config < b.config ? -1 : 1),
      registers: (a, b) => registers(b) - registers(a),
      weight: (a, b) => b.weight - a.weight,
    };
    for (const [order, by] of Object.entries(orders)) {
      await part(page, `sort-${order}`).click();
      await eventually(() => new URL(page.url()).searchParams.get("sort"), order === "weight" ? null : order, "the link has it");
      const expected = [...builds].sort(by).map((build) => build.kernel.name);
      await eventually(shown, expected.join(), order);
    }
    await page.goto("/p/triton/compare/3.4.0...3.5.0?sort=kernel");
    await part(page, "changed-builds").waitFor();
    const saved = page.waitForEvent("download");
    await part(page, "save-csv").click();
    const csv = await readFile(await (await saved).path(), "utf8");
    const names = csv.trim().split("\r\n").slice(1).map((line) => line.split(",")[0]);
    assert.deepEqual(names, [...builds].sort(orders.kernel).map((build) => build.kernel.name));
    await page.goto("/p/triton/compare/3.4.0...3.5.0?sort=luck");
    await part(page, "changed-builds").waitFor();
  });

  test("apart: the table that is copied names the tools, the sums in view and where it came from", async (page) => {
    const states = "3.4.0...3.5.0:128x64_w8_s2_injected-convert...3.5.0";
    const query = "target=sm_100a&config=128x64_w8_s2&open=fragment_staging&view=ptx%2Bsass";
    await page.goto(`/p/triton/compare/${states}/flex_attention?${query}`);
    await part(page, "families").waitFor();
    await part(page, "copy-markdown").click();
    const read = () => page.evaluate(() => navigator.clipboard.readText());
    await eventually(async () => (await read()).startsWith("**3.4.0"), true, "the clipboard has it");
    const markdown = await read();
    const cells = markdown.split("\n").filter((line) => line.startsWith("|")).map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
    const row = (level, name) => cells.find((cells) => cells[0] === level && cells[1] === name)?.slice(2, 5);
    assert.deepEqual(row("toolchain", "triton"), ["3.4.0", "3.5.0", "3.5.0"]);
    // The published table.
    assert.deepEqual(row("PTX + SASS", "Tensor compute (PTX + SASS hits)"), ["128", "128", "128"]);
    assert.deepEqual(row("PTX + SASS", "Matrix-fragment staging (PTX + SASS hits)"), ["0", "296", "40"]);
    assert.ok(cells.some((cells) => cells[1].startsWith("Fragment staging: ldmatrix")), "opcodes of what is open");
    const link = markdown.trim().split("\n").at(-1);
    assert.equal(link, page.url());
  });
}
