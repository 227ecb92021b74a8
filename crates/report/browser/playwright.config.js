import { defineConfig } from "@playwright/test";

// The system's Chromium: CHROMIUM says where it is.
export default defineConfig({
  testDir: "tests",
  globalSetup: "./setup.js",
  workers: 1,
  reporter: "list",
  timeout: 60_000,
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 900 },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      // Chromium has no sandbox for the superuser.
      args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    },
  },
});
