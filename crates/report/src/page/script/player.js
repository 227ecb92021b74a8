import { choice, h } from "./dom.js";
import { framesOf, judgementWords, notesOf, sceneOf } from "./scene.js";
import { keyOf, placed, stageOf } from "./stage.js";
import { valuesOf } from "./values.js";
import { distinct, named, percent, seriesName } from "./words.js";

// Steps through executions on their graphs, alone or as a network sees them.

/** What a reader chose. */
const playerChosen = { algorithm: "", episode: "", answer: "", frame: 0, speed: 1 };

/** The one clock that runs. @type {number | undefined} */
let playing;

/** @param {Answer} answer */
function answerKey(answer) {
  return `${answer.model} ${answer.hints} ${answer.seed}`;
}

/** @param {Answer} answer */
function answerName(answer) {
  const [metric, value] = answer.judgement.measured[0] ?? ["", null];
  const score = metric === "" || metric === "squared_error" ? "" : `, ${percent(value)}% right`;
  return `${seriesName(answer)}, seed ${answer.seed}${score}`;
}

/** @param {Page} page */
export function playerSection(page) {
  const { episodes } = page;
  if (episodes.length === 0) return null;
  const algorithms = distinct(episodes.map((episode) => episode.algorithm));
  const chosen = playerChosen;
  /** @type {Episode} */ let episode;
  /** @type {Answer | null} */ let answer;
  /** @type {import("./stage.js").Placed} */ let place;

  const controls = h("div", { class: "controls" });
  const stage = h("div", { class: "stage", tabindex: 0, role: "group", "aria-label": "Graph; space plays and pauses, arrow keys step, Home and End go to the ends" });
  const told = h("p", { class: "told", "aria-live": "polite" });
  const key = h("ul", { class: "key" });
  const verdict = h("p", { class: "verdict" });
  const side = h("div");
  const play = h("button", { type: "button", class: "play", click: toggle });
  const range = h("input", { type: "range", min: 0, value: 0, "aria-label": "Step", input: () => { pause(); go(Number(range.value)); } });
  const button = (/** @type {string} */ sign, /** @type {string} */ label, /** @type {() => void} */ act) =>
    h("button", { type: "button", "aria-label": label, title: label, click: () => { pause(); act(); } }, sign);
  const transport = h("div", { class: "transport" },
    play,
    button("«", "First", () => go(0)), button("‹", "Step back", () => go(chosen.frame - 1)),
    button("›", "Step forward", () => go(chosen.frame + 1)), button("»", "Last", () => go(Infinity)),
    range,
    choice("speed", "speed", [["0.5", "0.5×"], ["1", "1×"], ["2", "2×"], ["4", "4×"], ["16", "16×"]], String(chosen.speed), (value) => {
      chosen.speed = Number(value);
      if (playing !== undefined) start();
    }));

  function choose() {
    if (!algorithms.includes(chosen.algorithm)) chosen.algorithm = algorithms[0];
    const own = episodes.filter((one) => one.algorithm === chosen.algorithm);
    const before = episode;
    episode = own.find((one) => one.name === chosen.episode) ?? own[0];
    answer = episode.answers.find((one) => answerKey(one) === chosen.answer) ?? null;
    place = placed(episode.drawing);
    if (before && before !== episode) chosen.frame = 0;
    range.max = String(framesOf(episode) - 1);
    const focused = controls.contains(document.activeElement) ? document.activeElement?.getAttribute("name") : null;
    /** @type {[string, string][]} */
    const answers = [["", "the recorded execution"], ...episode.answers.map((one) => /** @type {[string, string]} */ ([answerKey(one), answerName(one)]))];
    controls.replaceChildren(
      choice("algorithm", "player-algorithm", algorithms.map((name) => [name, named(name)]), chosen.algorithm, (value) => pick({ algorithm: value })),
      choice("graph", "player-episode", own.map((one) => [one.name, one.name]), episode.name, (value) => pick({ episode: value })),
      choice("show", "player-answer", answers, answer ? answerKey(answer) : "", (value) => pick({ answer: value })));
    if (focused) /** @type {HTMLElement | null} */ (controls.querySelector(`[name="${focused}"]`))?.focus();
    const ends = [0, 1, Math.ceil(episode.steps / 2), episode.steps, episode.steps + 1].map((frame) => sceneOf(episode, answer, frame));
    const numbers = distinct(ends.flatMap((scene) => notesOf(scene.shown).map(({ track }) => track.name)));
    key.replaceChildren(...keyOf(ends).map(([mark, words]) => h("li", {}, mark, words)), numbers.length > 0 && place.radius > 15 ? h("li", {}, `below nodes: ${numbers.join(" | ")}`) : "");
    go(chosen.frame);
  }

  /** @param {Partial<typeof chosen>} change */
  function pick(change) {
    Object.assign(chosen, change);
    choose();
  }

  /** @param {number} frame */
  function go(frame) {
    chosen.frame = Math.min(Math.max(frame, 0), framesOf(episode) - 1);
    const scene = sceneOf(episode, answer, chosen.frame);
    range.value = String(chosen.frame);
    range.setAttribute("aria-valuetext", scene.title);
    const who = answer ? `${seriesName(answer)} on ` : "";
    stage.replaceChildren(stageOf(episode, place, scene, `${who}${named(episode.algorithm)}, ${episode.name}: ${scene.title}. ${scene.told}`));
    stage.dataset.frame = String(chosen.frame);
    told.replaceChildren(h("strong", {}, `${scene.title}. `), scene.told, wrongWords(scene));
    verdict.replaceChildren(...verdictOf(answer));
    side.replaceChildren(...valuesOf(scene, episode.drawing.points.length));
  }

  /** @param {import("./scene.js").Scene} scene */
  function wrongWords(scene) {
    return scene.wrong > 0 ? ` ${scene.wrong} ${scene.wrong === 1 ? "value is" : "values are"} not as recorded.` : "";
  }

  function start() {
    clearInterval(playing);
    if (chosen.frame >= framesOf(episode) - 1) go(0);
    playing = setInterval(() => {
      if (!section.isConnected) return clearInterval(playing);
      go(chosen.frame + 1);
      if (chosen.frame >= framesOf(episode) - 1) pause();
    }, 900 / chosen.speed);
    showPlaying();
  }
  function pause() {
    clearInterval(playing);
    playing = undefined;
    showPlaying();
  }
  function toggle() {
    if (playing === undefined) start();
    else pause();
  }
  function showPlaying() {
    play.textContent = playing === undefined ? "Play" : "Pause";
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.target instanceof HTMLSelectElement || event.target instanceof HTMLInputElement) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const onButton = event.target instanceof HTMLButtonElement;
    const moves = { ArrowRight: chosen.frame + 1, ArrowLeft: chosen.frame - 1, Home: 0, End: Infinity };
    if (event.key === " " && !onButton) toggle();
    else if (event.key in moves && event.target !== side.querySelector(".box")) {
      pause();
      go(moves[/** @type {keyof typeof moves} */ (event.key)]);
    } else return;
    event.preventDefault();
  }

  const section = h("section", { "aria-labelledby": "player", keydown: /** @type {EventListener} */ (onKey) },
    h("h2", { id: "player" }, "Step by step"),
    h("p", { class: "note" }, "An algorithm at work on a graph of the test sets, and what networks make of it. Wrong: another choice than the recorded one, or a number that is off by more than 0.05 plus 5%."),
    controls,
    h("div", { class: "player" },
      h("div", {}, stage, transport, told, key),
      h("div", { class: "side" }, verdict, side)));
  choose();
  showPlaying();
  // A page that was drawn anew goes on playing.
  if (playing !== undefined) start();
  return section;
}

/** @param {Answer | null} answer @returns {(Node | string)[]} */
function verdictOf(answer) {
  if (!answer) return ["As recorded."];
  const { measured, valid } = answer.judgement;
  const isRight = valid ?? measured.every(([metric, value]) => (metric === "squared_error" ? (value ?? 1) < 0.25 : value === 1));
  return [h("span", { class: isRight ? "good" : "bad" }, isRight ? "✓ right" : "✗ wrong"), ` in the end: ${judgementWords(answer)}`];
}
