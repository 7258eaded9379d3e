// Runs every test of tests/ and ends with `N passed, N failed`. Environment:
//   BASE_URL       a running server with the demo history loaded
//   TOKEN          a write token of the project `hostile`, which exists and is empty
//   CHROMIUM       the browser; /usr/bin/chromium when unset
//   DATA           the data directory of that server
//   LOWERLINE_CLI  the command line program, for pushes as a person makes them
//   SHOTS          a folder for pictures of failures; none when unset
// Arguments are parts of test names: only tests whose name holds one of them run.

import { readdir } from "node:fs/promises";
import { Suite } from "./lib/suite.mjs";

const base = process.env.BASE_URL;
if (!base) {
  console.error("BASE_URL is not set");
  process.exit(2);
}
const suite = await Suite.start(base.replace(/\/$/, ""), process.argv.slice(2));
const folder = new URL("./tests/", import.meta.url);
for (const file of (await readdir(folder)).filter((name) => name.endsWith(".mjs")).sort()) {
  const { default: define } = await import(new URL(file, folder));
  define(suite.test.bind(suite), suite);
}
const failed = await suite.run();
process.exit(failed === 0 ? 0 : 1);
