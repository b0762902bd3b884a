"""Response spectra of ground motions, targets for them, and what a motion is worth as one number."""
