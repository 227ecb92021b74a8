import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { request as ask } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";

import { SALSA, SWEEP } from "../setup.js";

/** Starts `salsa serve` on a free port; gives its address and how to end it. */
function serving(...words) {
  const child = spawn(SALSA, ["serve", ...words, "--bind", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let told = "";
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`ended with ${code}`)));
    child.stdout.on("data", (text) => {
      told += text;
      const found = told.match(/http:\S+/);
      if (!found) return;
      const end = () => new Promise((done) => {
        child.removeAllListeners("exit");
        child.on("exit", (code) => done(code));
        child.kill("SIGINT");
      });
      resolve({ address: found[0], end });
    });
  });
}

/** The status of a request with any headers, also those that browsers do not let pages set. */
function status(address, { method = "GET", headers = {} } = {}) {
  return new Promise((resolve, reject) => {
    const sent = ask(address, { method, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on("error", reject);
    sent.end();
  });
}

test("shows a sweep, and what comes to it, without losing the place", async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), "salsa-serve-"));
  cpSync(SWEEP, folder, { recursive: true });
  const names = readdirSync(join(folder, "records"));
  const missing = names.find((name) => name.startsWith("mis-pgn"));
  rmSync(join(folder, "records", missing));
  const { address, end } = await serving(folder);
  try {
    const complaints = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(address);
    await expect(page.locator("h2#live")).toHaveText("sweep: 8 of 9 cells finished");
    await page.locator(".stage").focus();
    await page.locator(".stage").press("ArrowRight");
    await page.locator('.legend button:text-is("PGN")').first().click();
    const top = await page.evaluate(() => window.scrollY);
    copyFileSync(join(SWEEP, "records", missing), join(folder, "records", missing));
    await expect(page.locator("h2#live")).toHaveText("sweep: 9 of 9 cells finished", { timeout: 15_000 });
    await expect(page.locator(".stage")).toHaveAttribute("data-frame", "1");
    await expect(page.locator('.legend button:text-is("PGN")').first()).toHaveAttribute("aria-pressed", "false");
    expect(Math.abs((await page.evaluate(() => window.scrollY)) - top)).toBeLessThan(60);
    expect(complaints).toEqual([]);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
  } finally {
    expect(await end()).toBe(0);
    rmSync(folder, { recursive: true });
  }
});

test("is for reading, on this machine, by its own names", async () => {
  const { address, end } = await serving(SWEEP, "--no-player");
  try {
    expect(await status(address)).toBe(200);
    expect(await status(`${address}page.json`)).toBe(200);
    expect(await status(address, { method: "HEAD" })).toBe(200);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) expect(await status(address, { method })).toBe(405);
    expect(await status(`${address}sweep.toml`)).toBe(404);
    expect(await status(`${address}../../etc/passwd`)).toBe(404);
    expect(await status(address, { headers: { Host: "evil.example" } })).toBe(403);
  } finally {
    await end();
  }
});

test("asks for its token, and takes it in three ways", async ({ page }) => {
  const word = "0123456789abcdef";
  const { address, end } = await serving(SWEEP, "--no-player", "--token", word);
  try {
    const plain = new URL("/", address).href;
    expect(await status(plain)).toBe(401);
    expect(await status(plain, { headers: { Authorization: "Bearer wrong" } })).toBe(401);
    expect(await status(plain, { headers: { Authorization: `Bearer ${word}` } })).toBe(200);
    expect(await status(`${plain}?token=wrong`)).toBe(401);
    await page.goto(address);
    await expect(page.locator("h2#live")).toBeVisible();
    expect(page.url()).toBe(plain);
    await page.reload();
    await expect(page.locator("h2#live")).toBeVisible();
  } finally {
    await end();
  }
});

test("does not listen beyond this machine without a token", () => {
  for (const bind of ["0.0.0.0:0", "[::]:0"]) {
    const { status: code, stderr } = spawnSync(SALSA, ["serve", SWEEP, "--bind", bind], { encoding: "utf8" });
    expect(code).toBe(2);
    expect(stderr).toContain("give a --token");
  }
});
