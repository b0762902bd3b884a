"""Study view: spectra at once, incremental dynamic analyses as jobs."""
