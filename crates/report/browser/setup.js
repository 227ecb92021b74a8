import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";

// Trains a small sweep with the program under test and makes its report.

export const SALSA = resolve(process.env.SALSA ?? "../../../target/debug/salsa");
export const MADE = resolve("test-results/made");
export const SWEEP = `${MADE}/sweep`;
export const REPORT = `${MADE}/report.html`;

export default function setup() {
  if (!existsSync(SALSA)) throw new Error(`${SALSA} is missing: cargo build first, or set SALSA`);
  const salsa = (...words) => execFileSync(SALSA, words, { stdio: ["ignore", "ignore", "inherit"] });
  salsa("sweep", "run", "sweep.toml", "--out", SWEEP, "--plain");
  const scaling = resolve("../../../results/2026-11-15-gpu/scaling.json");
  salsa("report", SWEEP, "--format", "html", "--scaling", scaling, "--out", REPORT);
}
