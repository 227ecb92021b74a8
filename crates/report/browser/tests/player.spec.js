import { expect } from "@playwright/test";

import { report } from "./opened.js";

const stage = (page) => page.locator(".stage");
const frame = async (page) => Number(await stage(page).getAttribute("data-frame"));
const range = (page) => page.locator(".transport input[type=range]");

report("plays, pauses, and stops at the end", async ({ opened }) => {
  const play = opened.locator(".transport .play");
  await opened.locator('select[name="speed"]').selectOption("16");
  await play.click();
  await expect(play).toHaveText("Pause");
  await expect.poll(() => frame(opened)).toBeGreaterThan(1);
  await play.click();
  await expect(play).toHaveText("Play");
  const paused = await frame(opened);
  await opened.waitForTimeout(300);
  expect(await frame(opened)).toBe(paused);
  await play.click();
  await expect(play).toHaveText("Play");
  expect(await frame(opened)).toBe(Number(await range(opened).getAttribute("max")));
});

report("is stepped by keys and by its slider", async ({ opened }) => {
  await stage(opened).focus();
  await stage(opened).press("ArrowRight");
  await stage(opened).press("ArrowRight");
  expect(await frame(opened)).toBe(2);
  await expect(opened.locator(".told")).toContainText("Step 2 of");
  await stage(opened).press("ArrowLeft");
  expect(await frame(opened)).toBe(1);
  await stage(opened).press("End");
  await expect(opened.locator(".told")).toContainText("Answer");
  await stage(opened).press("Home");
  await expect(opened.locator(".told")).toContainText("Inputs");
  await stage(opened).press("Space");
  await expect(opened.locator(".transport .play")).toHaveText("Pause");
  await stage(opened).press("Space");
  await expect(opened.locator(".transport .play")).toHaveText("Play");
  await range(opened).fill("3");
  expect(await frame(opened)).toBe(3);
});

report("shows what changes, on the graph and in the list", async ({ opened }) => {
  await stage(opened).focus();
  await stage(opened).press("ArrowRight");
  await stage(opened).press("ArrowRight");
  const changed = await opened.locator(".side tr.changed").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-row")));
  expect(changed.length).toBeGreaterThan(0);
  for (const node of changed) await expect(stage(opened).locator(`[data-node="${node}"] .g-halo`)).toHaveCount(1);
  await expect(stage(opened).locator(".g-halo")).toHaveCount(changed.length);
});

report("shows where a network is wrong, by shape and in the list", async ({ opened }) => {
  const answers = opened.locator('select[name="player-answer"]');
  let wrong = 0;
  for (const episode of await opened.locator('select[name="player-episode"] option').evaluateAll((all) => all.map((one) => one.value))) {
    await opened.locator('select[name="player-episode"]').selectOption(episode);
    for (let index = 1; index < (await answers.locator("option").count()); index += 1) {
      await answers.selectOption({ index });
      await stage(opened).focus();
      await stage(opened).press("End");
      const marked = await stage(opened).locator('[data-wrong=""], [data-wrong="true"]').count();
      expect(await stage(opened).locator("[data-node] .g-cross-badge").count()).toBe(marked);
      expect(await opened.locator(".side td.wrong-value").count()).toBe(marked);
      expect(await stage(opened).locator('[data-look="wrong"]').count()).toBeLessThanOrEqual(marked);
      wrong += marked;
    }
  }
  // Networks that were trained for seconds make mistakes.
  expect(wrong).toBeGreaterThan(0);
  await expect(opened.locator(".key")).toContainText("not as recorded");
});

report("shows the states of a network that learned them", async ({ opened }) => {
  const answers = opened.locator('select[name="player-answer"]');
  const names = await answers.locator("option").allTextContents();
  await answers.selectOption({ index: names.findIndex((name) => name.includes("with hints")) });
  await stage(opened).focus();
  await stage(opened).press("ArrowRight");
  await expect(opened.locator(".side thead")).toContainText("reach_h");
  await answers.selectOption({ index: names.findIndex((name) => /^PGN, seed/.test(name)) });
  await expect(opened.locator(".told")).toContainText("Its answer so far");
});

report("has every algorithm and a larger graph", async ({ opened }) => {
  for (const algorithm of ["bfs", "mis"]) {
    await opened.locator('select[name="player-algorithm"]').selectOption(algorithm);
    await opened.locator('select[name="player-episode"]').selectOption({ index: 0 });
    await expect(stage(opened).locator("[data-node]")).toHaveCount(16);
    await opened.locator('select[name="player-episode"]').selectOption({ index: 2 });
    await expect(stage(opened).locator("[data-node]")).toHaveCount(80);
  }
});
