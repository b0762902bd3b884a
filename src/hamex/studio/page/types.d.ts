// Shapes that the server sends and nodes of the page, for the checker alone: nothing here runs.

// Plotly's script is loaded before the modules of the page.
declare const Plotly: any;

type Numbers = Float32Array | Float64Array;
/** An array as it came: read already, or in base64. */
type Packed = Numbers | {dtype: string; bdata: string};
/** Colours of the theme by their names in the stylesheet. */
type Colours = Record<string, string> & {dark: boolean};
/** What Plotly takes: curves and axes. */
type Trace = Record<string, any>;
type Layout = Record<string, any>;
/** Keys and what is shown for them. */
type Options = [key: any, words: string][];

// ---------------------------------------------------------------- the page
/** What a refusal needs to be shown: what it says and what it is about. */
interface Problem {
  message: string;
  field?: string | null;
  status?: number;
}

/** A field of the page: a node whose value the state sets and that says what is wrong with it. */
type Field = HTMLElement & {
  set(value: any): void;
  refuse(words: string): void;
  rename(words: string, unit: string): void;
  /** Another unit, in which numbers are larger by a factor. */
  measure(unit: string, larger: number): void;
};
type Fields = Record<string, Field>;
/** Shows a problem where it belongs; null takes all messages away. */
type Refuse = (problem: Problem | null) => void;
type Segments = HTMLElement & {set(key: string): void};
type Progress = HTMLElement & {set(share: number, words: string): void};
interface Panel {
  root: HTMLElement;
  plot: HTMLElement;
  note: HTMLElement;
  words: HTMLElement;
}
interface Card {
  root: HTMLElement;
  value: HTMLElement;
  label: HTMLElement;
}

/** A view as it describes itself. */
interface ViewDescription {
  name: string;
  title: string;
  /** The state to begin with. */
  start: any;
  mount(root: HTMLElement, view: View): void;
  show(state: any, view: View): any;
  leave?(): void;
  gifts?(view: View): Gift[];
}
interface View extends ViewDescription {
  state: any;
  mounted: boolean;
  root: HTMLElement;
  set(patch: Record<string, any>): any;
  reset(): any;
}
/** A row of what can be taken home: a button and what it gives. */
type Gift = [button: HTMLElement, about: HTMLElement];
/** A page of the figures, or the reason why there is none. */
type FiguresPage = {why: string} | {why?: undefined; name: string; title: string; sheet: HTMLElement; words?: string};

// ---------------------------------------------------------------- motions
interface OwnRecord {
  accelerations: number[];
  step: number;
  unit: string;
  source: string;
}
interface Motion {
  kind: string;
  scale: number;
  amplitude: number;
  period: number;
  cycles: number;
  seed: number;
  magnitude: number;
  distance: number;
  vs30: number;
  own: OwnRecord | null;
  start: number;
}
type MotionControls = HTMLElement & {fields: Fields; show(motion: Motion, lengthUnit?: string): void};

// ---------------------------------------------------------------- histories
interface Peak {
  value: number;
  time: number;
  unit: string;
  error?: number | null;
}
interface Profiles {
  storeys: string[];
  drift: number[];
  heights: (number | null)[];
  shear: number[];
  /** Drifts at the end, where something has slipped and nothing swings any more. */
  residual: number[] | null;
  swings: boolean;
  ductility: (number | null)[];
}
/** One run of one scheme. */
interface Run {
  scheme: string;
  step: number;
  steps: number;
  dofs: string[];
  displacement: Packed;
  slip: Packed;
  loop_force: Packed;
  loop_displacement?: Packed;
  energy: Record<string, Packed>;
  residual: number;
  peaks: Record<string, Peak>;
  iterations: {kind: string; total: number; most: number} | null;
  status: string;
  status_message: string;
  /** One solution, contraction, balance: what was promised of the run, in words. */
  promises: {one_solution: string; contraction: string; balance: string};
  /** Sidesway, where it went down. */
  collapse: {time: number; where: string; message: string} | null;
  /** What is left of the strength of every spring at some instants; null where none can lose any. */
  strength: {times: number[]; left: Record<string, number[]>} | null;
  profiles: Profiles | null;
  notes: string[];
  /** What it is, where it is another problem beside the first. */
  title?: string;
}
interface HistoryAnswer extends Run {
  units: {length: string; force: string; energy: string};
  /** Of the first mode [s]; null where there is none at rest. */
  period: number | null;
  ground: {kind: string; unit: string; values: Packed; peak: number; source: string};
  spectrum: {periods: Packed; values: Packed; damping: number} | null;
  yield_deformation: (number | null)[];
  /** Of one solution per step, as it was chosen; pages of older studios have none. */
  promise?: string;
  /** The step that was asked for [s]; a promise may cut it. */
  asked_step?: number;
  against?: Run;
}
/** A law that springs may have instead of a slider, and its numbers in yield forces and yield deformations. */
interface OfferedNumber {
  name: string;
  unit: string;
  value: number | string;
  words: string[] | null;
  meaning: string;
  /** Whether the law is seen with it; else its default is taken where nothing is changed. */
  seen: boolean;
}
interface OfferedLaw {
  kind: string;
  name: string;
  about: string;
  yields: boolean;
  numbers: OfferedNumber[];
}
/** The picture of a history: show draws an answer; its parts are laid out by whoever owns it. */
interface Stage {
  parts: HTMLElement[];
  plots: Record<string, HTMLElement>;
  player: {root: HTMLElement; pause(): void; set(seconds: number, at?: number): void};
  show(
    answer: HistoryAnswer,
    options?: {viscosity?: boolean; law?: string; storey?: number; isolated?: boolean; fresh?: boolean},
  ): void;
}
/** What the pages of histories ask for: a problem file and perhaps a second scheme. */
interface HistoryRequest {
  problem: Record<string, any>;
  beside?: Record<string, any>;
  against?: Record<string, any>;
  error?: boolean;
}

// ---------------------------------------------------------------- waves
/** A run of a bar or a membrane: `pictures` of all nodes, `step` seconds apart. */
interface WaveAnswer {
  scheme: string;
  step: number;
  pictures: number;
  steps: number;
  time_step: number;
  speed: number;
  crossing: number;
  nodes: number;
  displacement: Numbers;
  largest: {displacement: number; stress: number};
  energy: Record<string, Packed>;
  residual: number;
  notes: string[];
  code: string;
  /** Of the elements of a bar. */
  stress: Numbers;
  /** Of the nodes of a membrane, in rows of so many columns; the one nearest to the blow. */
  x: Numbers;
  y: Numbers;
  columns: number;
  nearest: number;
  frequency: number;
}

// ---------------------------------------------------------------- derivations
interface MathSymbol {
  name: string;
  kind: string;
  meaning: string;
  unit: string;
  svg: string;
  min: number;
  max: number;
  log: boolean;
  value: number;
}
interface LoadShape {
  shape: string;
  amplitude?: number;
  period?: number;
  length?: number;
}
interface StartValue {
  key: string;
  /** "near": the side on which a value lies that follows from the others. */
  kind: "value" | "rate" | "momentum" | "near";
  field: string;
  value: number;
}
/** A system that was read. */
interface SystemAnswer {
  name: string;
  about: string;
  notes: string[];
  runs: boolean;
  symbols: MathSymbol[];
  starts: StartValue[];
  shapes: Record<string, LoadShape>;
  text: {
    fields: string[];
    lagrangian: string;
    dissipation: string;
    loads: Record<string, string>;
    constraints: string[];
    meanings: Record<string, string>;
  } | null;
}
interface MotionAnswer {
  fields: string[];
  step: number;
  steps: number;
  displacement: Record<string, Packed>;
  velocity: Record<string, Packed>;
  momentum: Record<string, Packed>;
  hamiltonian: Packed;
  imbalance: Packed;
  residual: number | null;
  iterations: number;
  /** Largest gap of the constraints at a node. */
  constraint: number | null;
  notes: string[];
}

// ---------------------------------------------------------------- studies
interface ElasticSpectrum {
  periods: Packed;
  length: string;
  g: number;
  displacement: Packed;
  pseudo_velocity: Packed;
  pseudo_acceleration: Packed;
  motion: {source: string; kind: string; step: number; peak: number; acceleration: {dtype: string; bdata: string}};
}
interface YieldingSpectrum {
  periods: Packed;
  ductility: number[];
  strength: Packed;
  displacement: Packed;
  strength_reduction: Packed;
  displacement_error: Packed;
}
interface PackedCurve {
  label: string;
  im: Packed;
  demand: Packed;
}
interface FragilityFit {
  why: "";
  median: number;
  dispersion: number;
  interval: {median: number[]; dispersion: number[]};
  /** Median over the intensity of the maximum considered earthquake, and the probability there; null if not asked for. */
  margin: {level: number; ratio: number; probability: number} | null;
  resamples: number;
  im: Packed;
  probability: Packed;
  low: Packed;
  high: Packed;
  points: {im: number[]; share: number[]; steps: boolean};
  censored: number[];
}
interface IdaResult {
  curves: PackedCurve[];
  intensity: string;
  limit_name: string;
  collapse: boolean;
  motions: number;
  flags: string[];
  runs: number;
  seconds: number;
  fractiles: {percent: number[]; demand: Packed; im: Packed};
  capacities: (number | null)[];
  fragility: FragilityFit | {why: string};
}
interface IdaProgress {
  state: "running" | "finished" | "cancelled" | "failed";
  message: string;
  done: number;
  total: number;
  left: number | null;
  curves: PackedCurve[];
  result: IdaResult | null;
}

// ---------------------------------------------------------------- the paper
interface Digits {
  printed: string;
  computed: string;
  match: boolean;
  value: number;
}
interface PaperRow {
  name: string;
  resonant: boolean;
  case: string;
  parameter: string;
  step: number;
  spacing: number;
  slip: Digits;
  momentum: Digits;
  residual: number;
  displacement: Packed;
  mean_displacement: Packed;
  force: Packed;
  newmark: NewmarkRow;
}
/** Newmark's run of a case; where it failed, why says so and nothing else is there. */
interface NewmarkRow {
  why: string;
  slip: string;
  momentum: string;
  iterations: number;
  displacement: Packed;
  force: Packed;
}
interface PaperAnswer {
  rows: PaperRow[];
  paper: boolean;
  captions: Record<string, string>;
  conventions: string[];
  matches: number;
  numbers: number;
  residual: number;
}
interface OpenSeesAnswer {
  live: boolean;
  version: string;
  reason: string;
  eta_honoured: boolean;
  cases: Record<string, {slip: string; momentum: string}>;
}
interface ConvergenceStudy {
  case: string;
  steps: number[];
  errors: Record<string, number[]>;
  orders: Record<string, number>;
}
interface AuditItem {
  equation: string;
  section: string;
  kind: string;
  verdict: string;
  printed: string;
  correct: string;
  evidence: string;
  reading: string;
}
interface AuditDrawing {
  equation: string;
  part: string;
  html: string;
}
interface AuditProgress {
  state: "running" | "finished" | "failed";
  total: number;
  done: number;
  items: AuditItem[];
  drawn: string;
  drawings: AuditDrawing[];
  /** What became of a process that failed; empty as long as none has. */
  why: string;
}
