"""Bodies: meshes, materials, elements, and the builder that makes a Model of them."""
