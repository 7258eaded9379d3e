// Files of this machine: analyzed beside the page, compared like any other builds, and never sent.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { mkdtemp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { eventually, fits, part, text } from "../lib/page.mjs";

const DEMO = process.env.DEMO_SRC;
const CONFIG = "flex_attention/sm_100a/128x64_w8_s2";

/** Every request from now on, but those of the browser to itself. */
function requests(page) {
  const seen = [];
  page.on("request", (request) => {
    if (!request.url().startsWith("blob:")) seen.push(request.url());
  });
  return seen;
}

/** The page, when all it will ever load is loaded. */
async function open(page) {
  await page.goto("/local");
  await part(page, "drop").waitFor();
  await page.waitForLoadState("networkidle");
  return requests(page);
}

/** A folder that is gone when the tests end: three thousand texts are half a gigabyte. */
async function folderOfOurs() {
  const folder = await mkdtemp(join(tmpdir(), "dropped-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function analyzed(page) {
  await part(page, "found").waitFor();
  await part(page, "progress").waitFor({ state: "detached" });
}

/** Drops paths as a person does, folders included. */
async function drop(page, paths) {
  const box = await part(page, "drop").boundingBox();
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await session.send("Input.dispatchDragEvent", { type, ...at, data });
  }
}

async function ptx(version) {
  const folder = join(DEMO, version, CONFIG);
  const name = (await readdir(folder)).find((name) => name.endsWith(".ptx"));
  return join(folder, name);
}

export default function define(test) {
  test("local: two cache folders are a comparison, and nothing is sent", async (page) => {
    const seen = await open(page);
    await drop(page, [join(DEMO, "3.4.0"), join(DEMO, "3.5.0")]);
    await analyzed(page);
    const summary = await text(page, "found-summary");
    assert.match(summary, /^\d+ builds in [\d,]+ files/);
    // The first build that is in both is chosen; choose the published case instead.
    const checked = page.locator('[data-test="local-build"] input:checked');
    while ((await checked.count()) > 0) await checked.first().uncheck();
    await part(page, "narrow").fill("flex_attention");
    for (const version of ["3.4.0", "3.5.0"]) {
      const row = part(page, "local-build").filter({ hasText: "sm_100a" }).filter({ hasText: "128x64_w8_s2" });
      await row.filter({ hasText: version }).filter({ hasNotText: "injected" }).locator("input").check();
    }
    await part(page, "families").waitFor();
    // The published counts, as for the same artifacts on the server.
    await eventually(() => text(page, "all-ptx-0"), "3,019", "PTX instructions of 3.4.0");
    assert.equal(await text(page, "all-ptx-1"), "2,802");
    assert.equal(await text(page, "fragment_staging-sass-0"), "0");
    assert.equal(await text(page, "fragment_staging-sass-1"), "20");
    await part(page, "stage-ptx").click();
    await part(page, "change").first().waitFor();
    assert.equal(new URL(page.url()).pathname, "/local");
    assert.deepEqual(seen, [], "nothing is asked of anybody");
    await fits(page);
  });

  test("local: chosen files without a description are told by content", async (page) => {
    const seen = await open(page);
    const folder = await folderOfOurs();
    const [old, now] = [join(folder, "old.txt"), join(folder, "new.ptx")];
    await writeFile(old, await readFile(await ptx("3.4.0")));
    await writeFile(now, await readFile(await ptx("3.5.0")));
    await part(page, "files").setInputFiles([old, now]);
    await analyzed(page);
    assert.equal(await part(page, "local-build").count(), 2);
    await eventually(() => text(page, "all-ptx-0"), "2,802", "the builds are in order of name");
    await part(page, "swap").last().click();
    await eventually(() => text(page, "all-ptx-0"), "3,019", "swapped");
    assert.deepEqual(seen, []);
  });

  test("local: binary junk is named with its reason beside what could be read", async (page) => {
    await open(page);
    const junk = Buffer.alloc(200_000);
    for (let at = 0; at < junk.length; at += 1) junk[at] = (at * 2_654_435_761) >>> 24;
    const file = (name, buffer) => ({ name, mimeType: "application/octet-stream", buffer });
    const good = await readFile(await ptx("3.5.0"));
    await part(page, "files").setInputFiles([file("junk.bin", junk), file("k.ptx", good), file("empty.cubin", Buffer.alloc(0)), file("<b>.txt", Buffer.from("x"))]);
    await analyzed(page);
    assert.equal(await part(page, "local-build").count(), 1);
    const names = await part(page, "left-out").locator("b").allInnerTexts();
    assert.deepEqual(names.sort(), ["<b>.txt", "empty.cubin", "junk.bin"]);
    for (const why of await part(page, "left-out").locator("span").allInnerTexts()) assert.ok(why.length > 3, why);
  });

  test("local: three thousand files at once, and the page answers meanwhile", async (page) => {
    await open(page);
    const folder = await folderOfOurs();
    const below = join(folder, "many");
    await mkdir(below);
    const bytes = await readFile(await ptx("3.5.0"));
    await Promise.all(Array.from({ length: 3_000 }, (_, n) => writeFile(join(below, `k${n}.ptx`), bytes)));
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme ?? "");
    const before = await theme();
    await part(page, "folder").setInputFiles(below);
    await part(page, "progress").waitFor();
    await part(page, "theme").click();
    await eventually(async () => (await theme()) !== before, true, "the theme changes");
    const during = await part(page, "progress").count();
    assert.equal(during, 1, "while files are still being analyzed");
    await page.locator('[data-test="found"]').waitFor({ timeout: 180_000 });
    assert.match(await text(page, "found-summary"), /^3,000 builds in 3,000 files/);
    assert.ok((await part(page, "local-build").count()) <= 200, "a part of them is listed, the rest counted");
    assert.match(await part(page, "found").innerText(), /2,800 builds more/);
  });

  test("local: publishing needs a token, and pushes what a push from the command line would", async (page) => {
    const seen = await open(page);
    await drop(page, [join(DEMO, "3.5.0", "softmax", "sm_90a")]);
    await analyzed(page);
    await part(page, "publish").locator("summary").click();
    assert.equal(await part(page, "publish-button").count(), 0, "no button before there is a token");
    await part(page, "publish-project").fill("hostile");
    await part(page, "publish-sha").fill("d0d0".padEnd(40, "0"));
    await part(page, "publish-subject").fill("From a page");
    await part(page, "publish-token").fill(process.env.TOKEN);
    assert.deepEqual(seen, [], "nothing is sent before the button is pressed");
    await part(page, "publish-button").click();
    await eventually(async () => /^\d+ builds? pushed/.test(await text(page, "published")), true, "it is pushed");
    const shown = Number((await text(page, "found-summary")).match(/^(\d+) build/)[1]);
    const commit = await (await page.request.get(`/api/v1/projects/hostile/commits/${"d0d0".padEnd(40, "0")}`)).json();
    assert.equal(commit.builds.length, shown);
    assert.equal(commit.commit.subject, "From a page");
    await part(page, "published").locator("a").click();
    await part(page, "matrix").waitFor();
  });

  test("local: the worker can be asked to connect nowhere", async (page) => {
    const answer = await page.request.get("/local");
    assert.match(answer.headers()["content-security-policy"], /worker-src 'self'/);
    const script = (await answer.text()).match(/name="worker" content="([^"]+)"/)[1];
    const policy = (await page.request.get(script)).headers()["content-security-policy"];
    assert.equal(policy, "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; frame-ancestors 'none'");
    assert.ok(relative("/assets", script).startsWith("worker-"), script);
  });
}
