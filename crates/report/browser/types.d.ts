// The data of the page, as the Rust types of `page/` write it.

interface Page {
  title: string;
  overview: Overview;
  tables: Table[];
  accuracy: Panel[];
  curves: Curve[];
  scaling: ScalingLine[];
  episodes: Episode[];
  live: Live | null;
}

interface Overview {
  sweeps: string[];
  networks: number;
  algorithms: string[];
  models: string[];
  seeds: number;
  devices: string[];
  versions: string[];
  suites: string[];
  answers: number;
}

interface Table {
  name: string;
  title: string;
  notes: string[];
  labels: string[];
  columns: string[];
  rows: Row[];
}

interface Row {
  labels: string[];
  cells: Cell[];
}

type Scale = "percent" | "number";

interface Summary {
  count: number;
  mean: number | null;
  deviation: number | null;
}

type Cell =
  | { kind: "missing" }
  | { kind: "figure"; summary: Summary; scale: Scale; best: boolean }
  | { kind: "difference"; ours: Summary; theirs: number; scale: Scale; within_noise: boolean | null }
  | { kind: "text"; text: string };

interface Series {
  model: string;
  hints: boolean;
  convention: string;
  label: string;
}

interface Panel {
  algorithm: string;
  family: string;
  lines: PanelLine[];
  quoted: { model: string; metric: string; points: [number, number | null][] }[];
}

interface PanelLine extends Series {
  metric: string;
  points: { nodes: number; mean: number | null; deviation: number | null; seeds: number }[];
}

interface Curve extends Series {
  cell: string;
  algorithm: string;
  seed: number;
  epochs_done: number;
  stopped_early: boolean;
  best_epoch: number | null;
  epochs: number[];
  train: (number | null)[];
  validation_loss: (number | null)[];
  validation: Record<string, (number | null)[]>;
}

interface ScalingLine {
  name: string;
  quoted: boolean;
  points: { nodes: number; seconds: number | null; bytes: number | null }[];
}

interface Drawing {
  points: [number | null, number | null][];
  edges: [number, number][];
  weights: (number | null)[] | null;
  entries: [number, number][];
}

interface Track {
  name: string;
  place: "node" | "edge" | "graph";
  quantity: "scalar" | "mask" | "mask_one" | "categorical" | "pointer";
  first: (number | null)[];
  changes: [number, number | null][][];
}

interface Episode {
  algorithm: string;
  name: string;
  convention: string;
  drawing: Drawing;
  steps: number;
  source: number | null;
  inputs: Track[];
  hints: Track[];
  outputs: Track[];
  answers: Answer[];
}

interface Answer {
  model: string;
  hints: boolean;
  seed: number;
  outputs: Track[];
  hint_tracks: Track[];
  judgement: { measured: [string, number | null][]; valid: boolean | null; violation: string | null };
}

interface Live {
  sweep: string;
  cells: number;
  finished: number;
  each: { cell: string; state: string; told: string; holder: string; done: number; loss: number | null }[];
  refresh_seconds: number;
}
