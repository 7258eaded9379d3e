// A test gets a fresh browser context. It fails when the page logs an error or breaks its content security policy,
// unless the test says which error it provokes.

import { chromium } from "playwright-core";
import { mkdir } from "node:fs/promises";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export class Suite {
  static async start(base, only) {
    const suite = new Suite();
    Object.assign(suite, { base, only, tests: [] });
    const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
    suite.browser = await chromium.launch({ executablePath, args: FLAGS });
    return suite;
  }

  /** `options.allow`: patterns of console errors the test provokes; `options.context`: for the browser context. */
  test(name, body, options = {}) {
    if (this.only.length === 0 || this.only.some((part) => name.includes(part))) {
      this.tests.push({ name, body, options });
    }
  }

  async visit(options = {}) {
    const context = await this.browser.newContext({
      baseURL: this.base,
      viewport: { width: 1440, height: 900 },
      ...options,
    });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: this.base }).catch(() => {});
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.problems = [];
    page.on("console", (message) => {
      if (message.type() === "error") page.problems.push(message.text());
    });
    page.on("pageerror", (error) => page.problems.push(String(error)));
    await page.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        console.error(`content security policy: ${event.violatedDirective} refused ${event.blockedURI} ${event.sample}`);
      });
    });
    return page;
  }

  async run() {
    let failed = 0;
    for (const { name, body, options } of this.tests) {
      const page = await this.visit(options.context);
      const started = Date.now();
      try {
        await body(page);
        const allowed = options.allow ?? [];
        const left = page.problems.filter((text) => !allowed.some((pattern) => pattern.test(text)));
        if (left.length > 0) throw new Error(`the page logged: ${left.join(" | ")}`);
        console.log(`ok    ${name} (${Date.now() - started} ms)`);
      } catch (error) {
        failed += 1;
        console.log(`FAIL  ${name}\n      ${String(error.stack ?? error).split("\n").slice(0, 6).join("\n      ")}`);
        await picture(page, name);
      }
      await page.context().close();
    }
    await this.browser.close();
    console.log(`${this.tests.length - failed} passed, ${failed} failed`);
    return failed;
  }
}

async function picture(page, name) {
  if (!process.env.SHOTS) return;
  await mkdir(process.env.SHOTS, { recursive: true });
  const file = `${process.env.SHOTS}/${name.replace(/[^a-z0-9]+/gi, "-")}.png`;
  await page.screenshot({ path: file, fullPage: true }).catch(() => {});
}
