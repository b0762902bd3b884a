"""The paper: section 6 reproduced and checked."""
