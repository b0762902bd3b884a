"""The laboratory of schemes as a page, a picture and a screen."""
