"""The studio: one page of our own, served to the browser of the person at this computer."""
