"""MANY: studies over problems, motions and schemes."""
