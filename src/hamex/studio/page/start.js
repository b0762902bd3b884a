// The studio: its views in the order of their tabs.
import {buildingView} from "./building.js";
import {derivationView} from "./derivation.js";
import {offer} from "./home.js";
import {oscillatorView} from "./oscillator.js";
import {paperView} from "./paper.js";
import {studyView} from "./study.js";
import {register, start} from "./views.js";

for (const view of [oscillatorView, buildingView, derivationView, studyView, paperView]) register(view);
offer();
start();
