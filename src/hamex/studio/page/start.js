// The studio: its views in the order of their tabs.
import {buildingView} from "./history/building.js";
import {derivationView} from "./derivation/view.js";
import {offer} from "./home/home.js";
import {offerLecture} from "./lecture.js";
import {oscillatorView} from "./history/oscillator.js";
import {paperView} from "./paper/view.js";
import {sceneBanner} from "./scenes/banner.js";
import {scenesView} from "./scenes/view.js";
import {studyView} from "./study/view.js";
import {register, start} from "./views.js";
import {wavesView} from "./waves/view.js";

const question = sceneBanner();
for (const view of [scenesView, oscillatorView, buildingView, wavesView, derivationView, studyView, paperView])
  register({
    ...view,
    show(state, shown) {
      question(shown);
      return view.show(state, shown);
    },
  });
offer();
offerLecture();
start();
