// Files no page should choke on, dropped at once: the page answers meanwhile and names what it could not use.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { api, eventually, fits, fold, part, text } from "../lib/page.mjs";

const BUILD = join(process.env.DEMO_SRC, "3.5.0", "flex_attention", "sm_100a", "128x64_w8_s2");
const MEGABYTE = 1 << 20;

/** Milliseconds between two turns of the page that a reader takes for a page that hangs. */
const HANGS = 1_500;

async function artifact(ending) {
  const name = (await readdir(BUILD)).find((name) => name.endsWith(`_fwd.${ending}`));
  return readFile(join(BUILD, name));
}

/** Bytes of no format: a fixed sequence. */
function junk(length) {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 1) bytes[at] = Math.imul(at, 2_654_435_761) >>> 24;
  return bytes;
}

/** A folder of files by path, gone when the tests end. */
async function folderOf(files) {
  const root = await mkdtemp(join(tmpdir(), "heavy-"));
  process.once("exit", () => rmSync(root, { recursive: true, force: true }));
  for (const [path, bytes] of Object.entries(files)) {
    const whole = join(root, "mixed", path);
    await mkdir(join(whole, ".."), { recursive: true });
    await writeFile(whole, bytes);
  }
  return join(root, "mixed");
}

/** From now on the page keeps the longest time in which it did nothing but one thing. */
async function watch(page) {
  await page.evaluate(() => {
    let last = performance.now();
    window.longest = 0;
    setInterval(() => {
      window.longest = Math.max(window.longest, performance.now() - last);
      last = performance.now();
    }, 20);
  });
}

const longest = (page) => page.evaluate(() => window.longest);

async function open(page) {
  await page.goto("/local");
  await part(page, "drop").waitFor();
  await page.waitForLoadState("networkidle");
  await watch(page);
}

async function analyzed(page, patience = 180_000) {
  await part(page, "found").waitFor({ timeout: patience });
  await part(page, "progress").waitFor({ state: "detached", timeout: patience });
}

/** File → why it is in no build. */
async function leftOut(page) {
  const rows = await part(page, "left-out").all();
  const of = async (row, tag) => fold(await row.locator(tag).innerText());
  return Object.fromEntries(await Promise.all(rows.map(async (row) => [await of(row, "b"), await of(row, "span")])));
}

export default function define(test) {
  test("dropped: thirty megabytes of SASS are counted, shown, and the page answers meanwhile", async (page) => {
    await open(page);
    const one = await artifact("sass");
    const copies = Math.ceil((30 * MEGABYTE) / one.length);
    const folder = await folderOf({ "large.sass": Buffer.concat(Array(copies).fill(one)) });
    await part(page, "folder").setInputFiles(folder);
    await analyzed(page);
    assert.equal(await part(page, "local-build").count(), 1);
    assert.match(await text(page, "found-summary"), /^1 build in 1 file \(3\d\.\d MB\): 1 sass/);
    // Every function is counted: as many instructions as copies of the one text have.
    const { builds } = await api(page, "/projects/triton/compare/3.5.0...3.5.0?kernel=flex_attention&target=sm_100a&config=128x64_w8_s2");
    const [each] = builds[0].levels.find((level) => level.stage === "sass").instructions;
    await eventually(() => text(page, "all-sass-0"), (each * copies).toLocaleString("en-US"), "instructions of all copies");
    const counting = await longest(page);
    assert.ok(counting < HANGS, `the page hung for ${Math.round(counting)} ms while counting`);
    await part(page, "stage-sass").click();
    await part(page, "one-side").locator("a").click();
    await part(page, "pane-left").locator(".dr").first().waitFor({ timeout: 180_000 });
    assert.ok((await page.locator(".dr").count()) < 500, "only lines in sight are drawn");
    await fits(page);
    const showing = await longest(page);
    assert.ok(showing < HANGS, `the page hung for ${Math.round(showing)} ms while opening the text`);
  });

  test("dropped: a mixed folder of long lines, junk and broken files names each file it leaves out", async (page) => {
    await open(page);
    const ptx = (await artifact("ptx")).toString();
    const cubin = await artifact("cubin");
    const folder = await folderOf({
      "good/kernel.ptx": ptx,
      // A comment of a megabyte is a line like any other.
      "good/wide.ptx": ptx.replace("\n", `\n// ${"x".repeat(MEGABYTE)}\n`),
      "bad/line.txt": "x".repeat(MEGABYTE),
      "bad/braces.ptx": "{".repeat(MEGABYTE),
      "bad/junk.cubin": junk(3 * MEGABYTE),
      "bad/cut.cubin": cubin.subarray(0, 700),
      "bad/picture.png": Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), junk(2_000)]),
      "bad/latin1.llir": Buffer.from("; ModuleID = 'caf\xe9'\n", "latin1"),
      "bad/kernel.json": "{ not JSON",
      "bad/empty.ttgir": "",
      "bad/.hidden": "secret",
      "node_modules/x/index.js": "module.exports = 1;\n",
      "run.sh": "#!/bin/sh\n# rate = 3\ndeclare -a files\n",
    });
    await part(page, "folder").setInputFiles(folder);
    await analyzed(page);
    const builds = await part(page, "local-build").allInnerTexts();
    assert.equal(builds.length, 2, builds.join(" / "));
    const told = await leftOut(page);
    const names = Object.keys(told).map((path) => path.replace(/^mixed\//, "")).sort();
    const expected = ["bad/.hidden", "bad/braces.ptx", "bad/cut.cubin", "bad/empty.ttgir", "bad/junk.cubin", "bad/kernel.json"];
    expected.push("bad/latin1.llir", "bad/line.txt", "bad/picture.png", "node_modules/x/index.js", "run.sh");
    assert.deepEqual(names, expected.sort());
    for (const [path, why] of Object.entries(told)) assert.ok(why.length > 3, `${path}: ${why}`);
    // Equal but for a comment: the counts agree, and the text with the long line opens.
    await eventually(() => text(page, "all-ptx-0"), "2,802", "both are counted");
    assert.equal(await text(page, "all-ptx-1"), "2,802");
    await part(page, "stage-ptx").click();
    await page.locator(".dr").first().waitFor();
    await fits(page);
    const hung = await longest(page);
    assert.ok(hung < HANGS, `the page hung for ${Math.round(hung)} ms`);
  });
}
