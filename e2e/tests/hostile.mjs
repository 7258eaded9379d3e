// Names are foreign text: whatever a kernel is called, the page shows it and stays whole.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { api, eventually, fits, part, text } from "../lib/page.mjs";

const SCRIPT = '"><script>alert(1)</script>';
const PERCENT = "a%2Fb%25 <img src=x onerror=alert(2)> & 'q' \u202e ../..";
const LONG = "k".repeat(5_000);
const PTX = `.version 8.7
.target sm_90a
.address_size 64
.visible .entry k()
{
\tbar.sync 0;
\tret;
}
`;
const SHA = "c0ffee".padEnd(40, "0");

async function push(page) {
  const bytes = Buffer.from(PTX);
  const digest = createHash("sha256").update(bytes).digest("hex");
  const headers = { authorization: `Bearer ${process.env.TOKEN}` };
  const put = await page.request.put(`/api/v1/projects/hostile/blobs/${digest}`, {
    headers: { ...headers, "content-type": "application/octet-stream" },
    data: bytes,
  });
  assert.ok(put.ok(), `${put.status()} ${await put.text()}`);
  const build = (kernel, n) => ({
    kernel,
    target: "sm_90a",
    config: { label: `<b>c${n}</b>` },
    status: "ok",
    artifacts: [{ stage: "ptx", digest }],
  });
  const failed = { kernel: SCRIPT, target: "sm_100a", config: { label: "f" }, status: "error", message: SCRIPT.repeat(50) };
  const response = await page.request.post("/api/v1/projects/hostile/pushes", {
    headers,
    data: {
      commit: { sha: SHA, committed_at: 1_700_000_000, subject: SCRIPT, author: SCRIPT },
      toolchain: { triton: SCRIPT },
      builds: [...[SCRIPT, PERCENT, LONG].map(build), failed],
    },
  });
  assert.ok(response.ok(), `${response.status()} ${await response.text()}`);
}

/** No dialog, no element made of a name, no page wider than its window. */
async function whole(page, path, ready) {
  let dialogs = 0;
  page.on("dialog", (dialog) => {
    dialogs += 1;
    return dialog.dismiss();
  });
  await page.goto(path);
  await part(page, ready).first().waitFor();
  assert.equal(dialogs, 0, "no dialog");
  assert.equal(await page.locator('script:not([src]):not([nonce]), img[src="x"]').count(), 0, "no element made of a name");
  await fits(page);
}

export default function define(test) {
  test("hostile: an empty project says how to push", async (page) => {
    const { project } = await api(page, "/projects/hostile");
    if (project.commits > 0) return;
    await page.goto("/p/hostile");
    await part(page, "empty").waitFor();
    assert.match(await text(page, "empty"), /lowerline push/);
    await page.goto("/p/hostile/trends");
    await part(page, "empty").waitFor();
  });

  test("hostile: names of markup, percent signs and 5,000 characters are shown as text", async (page) => {
    await push(page);
    await whole(page, "/p/hostile", "kernels");
    const shown = await part(page, "kernel").locator("a").allInnerTexts();
    assert.ok(shown.includes(SCRIPT), "markup is shown as text");
    assert.ok(shown.some((name) => name.startsWith("kkkk") && name.length < 300 && name.endsWith("…")), "long names are cut");
    assert.ok(shown.some((name) => name.includes("\\u{202e}")), "an override of the direction is spelled out");
    await whole(page, `/p/hostile/commits/${SHA}`, "matrix");
    await whole(page, "/", "projects");
  });

  test("hostile: every kernel opens from its link and from its address", async (page) => {
    await push(page);
    const detail = await api(page, "/projects/hostile");
    // Other tests push to this project too.
    const kernels = detail.kernels.filter((kernel) => kernel.configs.some((config) => config.startsWith("<b>c")));
    assert.equal(kernels.length, 3);
    for (const kernel of kernels) {
      await page.goto("/p/hostile");
      await part(page, "kernels").waitFor();
      const link = part(page, "kernel").nth(detail.kernels.indexOf(kernel)).locator("a").first();
      await link.click();
      await part(page, "grid").waitFor();
      await fits(page);
      assert.equal(new URL(page.url()).searchParams.get("kernel"), kernel.key);
      await page.reload();
      await part(page, "grid").waitFor();
      const config = encodeURIComponent(kernel.configs.find((config) => config.startsWith("<b>c")));
      const path = `/p/hostile/compare/${SHA}...${SHA}/${encodeURIComponent(kernel.key)}?target=sm_90a&config=${config}`;
      await whole(page, path, "families");
    }
  });

  test("hostile: a measure nobody has is no error of the page", async (page) => {
    await page.goto(`/p/triton/trends?kernel=softmax&measure=${encodeURIComponent("sass:<b>x</b>")}`);
    await page.locator('[data-test="grid"], [data-test="error"], [data-test="empty"]').first().waitFor();
    await eventually(() => page.locator("main b b, main .rh b > b").count(), 0, "no markup of a measure");
  }, { allow: [/40[04]/] });
}
