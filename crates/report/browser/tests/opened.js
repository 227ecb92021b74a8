import { expect, test } from "@playwright/test";
import { pathToFileURL } from "node:url";

import { REPORT } from "../setup.js";

// The report in a browser that must not reach for anything else or complain.

export const report = test.extend({
  opened: async ({ page }, use) => {
    const complaints = [];
    const address = pathToFileURL(REPORT).href;
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      const url = request.url().split("#")[0];
      if (url !== address && !url.startsWith("data:")) complaints.push(`asked for ${url}`);
    });
    await page.goto(address);
    await expect(page.locator("main section").first()).toBeVisible();
    await use(page);
    expect(complaints).toEqual([]);
  },
});
