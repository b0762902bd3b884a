"use strict";
Studio.start();
