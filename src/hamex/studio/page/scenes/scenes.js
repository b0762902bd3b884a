// The scenes: phenomena to look at, each a state of a view, one question to the student, and what to try.
import * as Motions from "../motion.js";

/**
 * @typedef {{name: string, view: string, title: string, question: string, tries: string[], state: any}} Scene
 */

/** @type {(motion: Partial<Motion>) => Motion} */
const shaken = (motion) => ({...Motions.START, ...motion});
const LET_GO = shaken({kind: "none", start: 0.05});

/** @type {Scene[]} */
const OF_ONE_MASS = [
  {
    name: "resonance",
    view: "oscillator",
    title: "Resonance",
    question: "The ground gives the same small push at every swing. Why does the swing stop growing?",
    tries: [
      "Damping ratio to 0.01: how much higher does it climb, and how much longer does that take?",
      "Period of the wave to 0.4 s: where has the swing gone?",
    ],
    state: {
      yields: false,
      ratio: 0.02,
      motion: shaken({kind: "sine", amplitude: 0.05, period: 0.5, cycles: 40}),
      duration: 25,
    },
  },
  {
    name: "beating",
    view: "oscillator",
    title: "Beating",
    question: "Nothing damps it, and yet it swells and dies again and again. What sets the time between two swells?",
    tries: [
      "Period of the wave from 0.55 to 0.52 s: are the swells farther apart or closer?",
      "Damping ratio to 0.02: which of the two frequencies stays in the end?",
    ],
    state: {
      yields: false,
      ratio: 0,
      motion: shaken({kind: "sine", amplitude: 0.05, period: 0.55, cycles: 40}),
      duration: 22,
    },
  },
  {
    name: "yielding",
    view: "oscillator",
    title: "Yielding against elastic",
    question:
      "The same mass on a spring that yields and on one that cannot. Which moves farther, and which needs more force?",
    tries: [
      "Yield force to 75 kN: how much does the peak displacement change?",
      "Period to 0.15 s: is it still about the same displacement?",
    ],
    state: {period: 0.8, yieldForce: 150, viscosity: 0, kinematic: 200, against: "without-yielding", duration: 32},
  },
  {
    name: "unstable",
    view: "oscillator",
    title: "An unstable scheme",
    question:
      "One mass, let go, no damping, two schemes with the same long step. Who makes the energy of the blue curve?",
    tries: [
      "Time step from 0.277 to 0.27 s: at which share of the period does it stop growing?",
      "Scheme to Newmark with Newton: is a longer step still safe?",
    ],
    state: {
      yields: false,
      ratio: 0,
      scheme: "linear",
      against: "galerkin-1",
      step: 0.277,
      motion: LET_GO,
      duration: 8.31,
    },
  },
];

/** @type {Scene[]} */
const OF_BUILDINGS = [
  {
    name: "weak-storey",
    view: "building",
    title: "A weak storey",
    question: "One storey of eight has half its strength. What do the other seven feel of the earthquake?",
    tries: [
      "Its strength back to 1: how do the drifts spread?",
      "A weak storey: move it to the top. Is it as bad there?",
    ],
    state: {
      storeys: 8,
      weak: 3,
      weakness: 0.5,
      storey: 2,
      hardening: 0.01,
      motion: shaken({kind: "el_centro", scale: 1.5}),
      duration: 32,
    },
  },
  {
    name: "residual-drift",
    view: "building",
    title: "Residual drift",
    question:
      "One strong pulse, then silence. The building comes to rest, but not where it stood. What holds it there?",
    tries: [
      "Hardening to 0.1: how much of the drift is left?",
      "Peak acceleration down in steps: from where on does nothing stay?",
    ],
    state: {
      storeys: 5,
      strength: 0.12,
      hardening: 0,
      storey: 0,
      motion: shaken({kind: "half_sine", amplitude: 0.3, period: 0.8}),
      duration: 20,
    },
  },
  {
    name: "p-delta",
    view: "building",
    title: "P-Δ",
    question: "Gravity pulls at every frame that leans. When does a frame that yields no longer come back?",
    tries: ["Scale up in small steps: where does it fall over?", "Hardening to 0.05: how much does that hold?"],
    state: {
      storeys: 4,
      stiffness: 60000,
      strength: 0.1,
      pattern: "code",
      hardening: 0,
      height: 4,
      pdelta: true,
      against: "without-gravity",
      storey: 0,
      motion: shaken({kind: "el_centro", scale: 1.1}),
      duration: 32,
    },
  },
  {
    name: "isolation",
    view: "building",
    title: "Isolation",
    question: "Soft pads below the building. Where does the movement go, and what do the storeys above still feel?",
    tries: [
      "Period on isolators to 1 s: what is left of the benefit?",
      "They slip at 0.15 of weight: who moves now, the pads or the storeys?",
    ],
    state: {storeys: 5, isolated: true, against: "without-isolators", storey: 0, motion: shaken({scale: 1.5})},
  },
  {
    name: "dampers",
    view: "building",
    title: "Dampers",
    question: "The same building with and without dampers in its storeys. Which energy do the dampers save the frame?",
    tries: [
      "Dampers of each storey to 1,000 and to 10,000 kN·s/m: does more always help?",
      "Watch the energies: what has become of the plastic part?",
    ],
    state: {
      storeys: 6,
      strength: 0.3,
      dampers: 4000,
      against: "without-dampers",
      storey: 0,
      motion: shaken({scale: 1.5}),
    },
  },
];

/** @type {Scene[]} */
const OF_SYMBOLS = [
  {
    name: "pendulum",
    view: "derivation",
    title: "Pendulum",
    question:
      "Let go from almost upright, it takes much longer for a swing than from a small angle. Which line of the derivation says why?",
    tries: [
      "θ at the start to 0.2: compare the time of one swing with 2π√(l/g)",
      "Degree in time to 3 with a step of 0.2 s: what happens to the energy?",
    ],
    state: {system: "pendulum", start: {theta: 2.9, theta_dot: 0}, duration: 12},
  },
  {
    name: "double-pendulum",
    view: "derivation",
    title: "Double pendulum",
    question: "Nothing in its equations is random. After how many seconds can nobody foretell it any more?",
    tries: [
      "θ₁ at the start from 2 to 2.001: when do the two motions part?",
      "Both angles to 0.1: is it still unruly?",
    ],
    state: {
      system: "double-pendulum",
      start: {theta_1: 2, theta_1_dot: 0, theta_2: 2, theta_2_dot: 0},
      duration: 20,
      step: 0.01,
      degree: 2,
    },
  },
  {
    name: "end-points",
    view: "derivation",
    title: "Why the end points must go",
    question:
      "Hamilton's principle holds u fixed at the end of the time window. Who knows the end before the motion is found?",
    tries: [
      "Find the two terms at t = 0 and t = T that the variation leaves over",
      "System: damped. Which of the frameworks can hold its start values?",
    ],
    state: {system: "harmonic", section: "classical-and-extended"},
  },
];

export const SCENES = [...OF_ONE_MASS, ...OF_BUILDINGS, ...OF_SYMBOLS];

/**
 * The scene that a state belongs to.
 * @param {View} view
 */
export const sceneOf = (view) => SCENES.find(({name}) => name === view.state.scene) ?? null;
