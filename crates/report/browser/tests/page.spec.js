import { expect } from "@playwright/test";
import AxeBuilder from "@axe-core/playwright";

import { report } from "./opened.js";

report("has its sections, each with a link to it", async ({ opened }) => {
  await expect(opened.locator("h1")).toHaveText("SALSA results: sweep");
  for (const id of ["sizes", "training", "scaling", "player"]) {
    await expect(opened.locator(`h2#${id}`)).toBeVisible();
    await expect(opened.locator(`nav a[href="#${id}"]`)).toBeVisible();
  }
  const facts = await opened.locator("header .facts").innerText();
  expect(facts).toMatch(/networks\s+9/);
  expect(facts).toContain("cpu");
});

report("sorts by clicks and by keys, and gives the first order back", async ({ opened }) => {
  const table = opened.locator("section.table").filter({ has: opened.locator("tbody tr:nth-child(3)") }).first();
  const column = () => table.locator("tbody tr").evaluateAll((rows) => rows.map((row) => row.querySelector("td:not(.label)")?.textContent ?? ""));
  const before = await column();
  const head = table.locator("thead th:not(.label)").first();
  await head.locator("button").click();
  await expect(head).toHaveAttribute("aria-sort", "descending");
  const numbers = (texts) => texts.map((text) => parseFloat(text)).filter((number) => !Number.isNaN(number));
  const falling = numbers(await column());
  expect(falling).toEqual([...falling].sort((a, b) => b - a));
  await head.locator("button").press("Enter");
  await expect(head).toHaveAttribute("aria-sort", "ascending");
  const rising = numbers(await column());
  expect(rising).toEqual([...rising].sort((a, b) => a - b));
  await head.locator("button").press("Space");
  await expect(head).toHaveAttribute("aria-sort", "none");
  expect(await column()).toEqual(before);
});

report("filters long tables by their labels", async ({ opened }) => {
  const table = opened.locator("section.table").filter({ has: opened.locator(".controls select") }).first();
  const rows = table.locator("tbody tr");
  const all = await rows.count();
  const select = table.locator(".controls select").first();
  const value = await select.locator("option").nth(1).getAttribute("value");
  await select.selectOption(value);
  expect(await rows.count()).toBeLessThan(all);
  await expect(table.getByRole("status")).toContainText(`of ${all} rows`);
  await select.selectOption("");
  await expect(rows).toHaveCount(all);
});

report("plots accuracy over sizes with a legend that hides lines", async ({ opened }) => {
  const section = opened.locator("section", { has: opened.locator("h2#sizes") });
  // Two algorithms on three families.
  await expect(section.locator(".chart svg")).toHaveCount(6);
  const lines = section.locator('[data-line="PGN"]');
  await expect(lines).toHaveCount(6);
  await expect(section.locator('[data-line="PGN, the paper"] .quoted').first()).toBeAttached();
  const button = section.locator(".legend button", { hasText: /^PGN$/ });
  await button.click();
  await expect(button).toHaveAttribute("aria-pressed", "false");
  await expect(lines).toHaveCount(0);
  await button.press("Enter");
  await expect(lines).toHaveCount(6);
  const chart = section.locator(".chart").first();
  await chart.hover({ position: { x: 60, y: 80 } });
  await expect(chart.locator(".tip")).toContainText("nodes: 16");
  await chart.focus();
  await chart.press("ArrowRight");
  await expect(chart.locator(".tip")).toContainText("nodes: 80");
});

report("plots trainings, all and one", async ({ opened }) => {
  const section = opened.locator("section", { has: opened.locator("h2#training") });
  await expect(section.locator(".chart")).toHaveCount(2);
  await section.locator('select[name="training-cell"]').selectOption({ index: 1 });
  await expect(section.locator('[data-line="training"]')).toHaveCount(1);
  await expect(section.locator("p.note")).toContainText("2 epochs");
});

report("plots the scaling beside the published code", async ({ opened }) => {
  const section = opened.locator("section", { has: opened.locator("h2#scaling") });
  await expect(section.locator(".chart")).toHaveCount(2);
  await expect(section.locator('[data-line^="published gin"]').first()).toBeAttached();
});

report("shows light and dark, as the system and the button say", async ({ opened }) => {
  const ground = (colour) => expect(opened.locator("body")).toHaveCSS("background-color", colour);
  await opened.emulateMedia({ colorScheme: "light" });
  await ground("rgb(255, 255, 255)");
  await opened.emulateMedia({ colorScheme: "dark" });
  await ground("rgb(21, 24, 29)");
  await opened.locator("button.theme").click();
  await ground("rgb(255, 255, 255)");
});

report("fits a phone", async ({ opened }) => {
  await opened.setViewportSize({ width: 390, height: 800 });
  // The longest names.
  const answers = opened.locator('select[name="player-answer"]');
  const names = await answers.locator("option").allTextContents();
  await answers.selectOption({ index: names.findIndex((name) => name.includes("with hints")) });
  const { scroll, inner } = await opened.evaluate(() => ({ scroll: document.documentElement.scrollWidth, inner: window.innerWidth }));
  expect(scroll).toBeLessThanOrEqual(inner);
  const box = opened.locator("section.table .box").first();
  expect(await box.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true);
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  report(`is accessible in ${colorScheme}`, async ({ opened }) => {
    await opened.emulateMedia({ colorScheme });
    await opened.locator('select[name="player-answer"]').selectOption({ index: 1 });
    await opened.locator(".transport button[title=Last]").click();
    const { violations } = await new AxeBuilder({ page: opened }).analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map((node) => node.html)])).toEqual([]);
  });
}
