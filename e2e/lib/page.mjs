// What tests say about pages.

import assert from "node:assert/strict";

/** An element by its `data-test` name. */
export const part = (page, name) => page.locator(`[data-test="${name}"]`);

/** Text of a part, whitespace folded. */
export async function text(page, name) {
  return fold(await part(page, name).first().innerText());
}

export const fold = (value) => value.replace(/\s+/g, " ").trim();

/** Waits until `read` gives `expected`; fails with what it gave last. */
export async function eventually(read, expected, what) {
  const deadline = Date.now() + 20_000;
  let last;
  for (;;) {
    last = await read();
    if (last === expected) return;
    if (Date.now() > deadline) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.equal(last, expected, what);
}

/** JSON of the read API. */
export async function api(page, path) {
  const response = await page.request.get(`/api/v1${path}`);
  assert.equal(response.status(), 200, path);
  return response.json();
}

/** Tag → full hash of a project's commits. */
export async function hashes(page, project = "triton") {
  const rows = await api(page, `/projects/${project}/commits?limit=100`);
  return Object.fromEntries(rows.map(({ commit }) => [commit.tag, commit.sha]));
}

/** Every chart of the page is drawn. */
export async function drawn(page) {
  await page.locator(".chart .plot[data-drawn]").first().waitFor();
  const count = await page.locator(".chart .plot").count();
  await eventually(() => page.locator(".chart .plot[data-drawn]").count(), count, "all charts are drawn");
}

/** The page is no wider than its window. */
export async function fits(page) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(over <= 0, `the page is ${over} px wider than the window`);
}
