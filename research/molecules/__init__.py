"""Linear models on molecules with atom and bond types."""
