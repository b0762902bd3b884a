"""What fills the pages that are made from the package: one module per kind of block."""
