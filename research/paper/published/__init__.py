"""The random draws of the published code, repeated number by number."""
