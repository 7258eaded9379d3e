// The command line program against the real server: what it sends, what it is told, and the page it names.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, mkdir, writeFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { api, part } from "../lib/page.mjs";

const PTX = `.version 8.7
.target sm_90a
.address_size 64
.visible .entry k()
{
\tbar.sync 0;
\tret;
}
`;
const SHA = "9".repeat(40);

/** A folder of recorded builds: path → files by name. */
async function folder(builds) {
  const root = await mkdtemp(join(tmpdir(), "lowerline-push-"));
  for (const [path, files] of Object.entries(builds)) {
    await mkdir(join(root, path), { recursive: true });
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(root, path, name), typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content));
    }
  }
  return root;
}

const recorded = (kernel, more = {}) => ({ kernel, function: "k", target: "sm_90a", status: "ok", ...more });

function push(page, root, { token = process.env.TOKEN, sha = SHA } = {}) {
  const flags = ["--project", "hostile", "--commit", sha, "--committed-at", "2024-01-01T00:00:00Z", "--subject", "Pushed"];
  const env = { PATH: process.env.PATH, LOWERLINE_SERVER: page.base, LOWERLINE_TOKEN: token };
  const run = spawnSync(process.env.LOWERLINE_CLI, ["push", root, ...flags], { env, encoding: "utf8" });
  return { code: run.status, stdout: run.stdout.trim(), stderr: run.stderr };
}

export default function define(test, suite) {
  const withFolder = (name, builds, body, options) =>
    test(name, async (page) => {
      page.base = suite.base;
      const root = await folder(builds);
      await body(page, root).finally(() => rm(root, { recursive: true }));
    }, options);

  withFolder(
    "push: the same push again sends nothing and names the same page",
    { "p/w4": { "build.json": recorded("pushed"), "k.ptx": PTX }, "q/w4": { "build.json": recorded("cut off"), "k.ptx": PTX.slice(0, 70) } },
    async (page, root) => {
      const first = push(page, root);
      assert.equal(first.code, 0, first.stderr);
      assert.equal(first.stdout, `${page.base}/p/hostile/commits/${SHA}`);
      const again = push(page, root);
      assert.equal(again.code, 0, again.stderr);
      assert.equal(again.stdout, first.stdout);
      assert.match(again.stderr, /0 blobs sent/);
      await page.goto(first.stdout);
      await part(page, "matrix").waitFor();
      const detail = await api(page, `/projects/hostile/commits/${SHA}`);
      assert.deepEqual(detail.builds.map((build) => build.kernel).sort(), ["cut off", "pushed"]);
    },
  );

  withFolder(
    "push: another artifact for a build is refused and the folder is named",
    { "p/w4": { "build.json": recorded("pushed"), "k.ptx": `${PTX}// other` } },
    async (page, root) => {
      const refused = push(page, root);
      assert.equal(refused.code, 3, refused.stderr);
      assert.equal(refused.stdout, "");
      assert.match(refused.stderr, /different_content/);
      assert.ok(refused.stderr.includes(`it was found in ${join(root, "p/w4")}`), refused.stderr);
    },
  );

  withFolder(
    "push: without a good token nothing is recorded",
    { "p/w4": { "build.json": recorded("never"), "k.ptx": PTX } },
    async (page, root) => {
      const sha = "8".repeat(40);
      const refused = push(page, root, { token: `llt_${"A".repeat(32)}`, sha });
      assert.equal(refused.code, 3, refused.stderr);
      assert.match(refused.stderr, /LOWERLINE_TOKEN/);
      assert.equal((await page.request.get(`/api/v1/projects/hostile/commits/${sha}`)).status(), 404);
    },
  );

  withFolder(
    "push: a failed build is recorded with the compiler's words",
    { "f/w4": { "build.json": recorded("failed", { status: "error", error: { type: "CompilationError", message: "no such layout" } }) } },
    async (page, root) => {
      const sha = "7".repeat(40);
      const pushed = push(page, root, { sha });
      assert.equal(pushed.code, 0, pushed.stderr);
      assert.match(pushed.stderr, /1 build \(1 failed/);
      const { builds } = await api(page, `/projects/hostile/commits/${sha}`);
      assert.equal(builds[0].message, "CompilationError: no such layout");
    },
  );
}
