// Loading, empty, error and data of every page. Nothing is made up: loading is a real answer held back, an error is a
// broken connection or a thing that does not exist.

import assert from "node:assert/strict";
import { eventually, part, text } from "../lib/page.mjs";

const PAGES = [
  { name: "home", path: "/", data: "projects", held: "**/api/v1/projects" },
  { name: "project", path: "/p/triton", data: "commits", held: "**/api/v1/projects/triton/commits?*" },
  { name: "trends", path: "/p/triton/trends?kernel=softmax&target=sm_90a", data: "grid", held: "**/api/v1/**/trends?*" },
  { name: "commit", path: "/p/triton/commits/3.5.0", data: "matrix", held: "**/api/v1/**/commits/3.5.0" },
  { name: "compare", path: "/p/triton/compare/3.4.0...3.5.0", data: "changed-builds", held: "**/api/v1/**/compare/**" },
  {
    name: "compare one build",
    path: "/p/triton/compare/3.4.0...3.5.0/flex_attention?target=sm_100a&config=128x64_w8_s2",
    data: "families",
    held: "**/api/v1/**/compare/**",
  },
];

const MISSING = [
  ["project", "/p/nobody"],
  ["trends", "/p/triton/trends?kernel=no_such_kernel"],
  ["commit", "/p/triton/commits/0.0.0"],
];

export default function define(test) {
  for (const { name, path, data, held } of PAGES) {
    test(`states: ${name} shows its layout while it loads, then its data`, async (page) => {
      let release;
      const gate = new Promise((resolve) => (release = resolve));
      await page.route(held, async (route) => {
        await gate;
        await route.continue();
      });
      await page.goto(path);
      await part(page, "loading").first().waitFor();
      release();
      await part(page, data).waitFor();
      await eventually(() => part(page, "loading").count(), 0, "the skeleton is gone");
    });

    test(
      `states: ${name} says when the server cannot be reached, and tries again`,
      async (page) => {
        await page.route(held, (route) => route.abort());
        await page.goto(path);
        await part(page, "error").first().waitFor();
        await page.unroute(held);
        await part(page, "retry").first().click();
        await part(page, data).waitFor();
        await eventually(() => part(page, "error").count(), 0, "the error is gone");
      },
      { allow: [/ERR_FAILED/] },
    );
  }

  for (const [name, path] of MISSING) {
    test(
      `states: ${name} that does not exist says so`,
      async (page) => {
        await page.goto(path);
        await part(page, "error").first().waitFor();
        assert.match(await text(page, "error"), /is not here/);
      },
      { allow: [/404/] },
    );
  }

  test(
    "states: a comparison with a revision nobody pushed names it",
    async (page) => {
      const answer = await page.goto("/p/triton/compare/3.4.0...0.0.0/flex_attention?target=sm_100a&config=128x64_w8_s2");
      assert.equal(answer.status(), 404);
      assert.match(await page.title(), /^Not found/);
      await part(page, "error").first().waitFor();
      assert.match(await text(page, "error"), /0\.0\.0/);
    },
    { allow: [/404/] },
  );

  test("states: a comparison without a change says so", async (page) => {
    await page.goto("/p/triton/compare/3.5.0...3.5.0");
    await part(page, "empty").waitFor();
    assert.match(await text(page, "empty"), /Nothing changed/);
  });

  test("states: a failed build stays a state of the comparison", async (page) => {
    await page.goto("/p/triton/compare/3.2.0...3.4.0/flex_attention?target=sm_100a&config=128x64_w8_s2");
    await part(page, "state").first().waitFor();
    assert.equal(await part(page, "state").count(), 2);
    await part(page, "failed").first().waitFor();
  });

  test("states: trends without a kernel lets the reader choose", async (page) => {
    await page.goto("/p/triton/trends");
    await page.locator('[data-test="kernels"] a', { hasText: "softmax" }).click();
    await part(page, "grid").waitFor();
  });

  test(
    "states: an address of no page says so",
    async (page) => {
      const response = await page.goto("/p/triton/no/such/page");
      assert.equal(response.status(), 404);
      await part(page, "page-missing").waitFor();
    },
    { allow: [/404/] },
  );
}
