"""WHAT: the model record, laws of springs, damping and builders."""
