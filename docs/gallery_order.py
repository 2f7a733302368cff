"""The order of the tutorials: one per kind of row first, the others by name."""

FIRST = ["payments", "predict_links", "molecules", "gin_with_encoding", "two_molecules", "larger_than_memory"]


class TutorialOrder:
    """A sort key of sphinx-gallery."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, name: str) -> tuple[int, str]:
        """Return where the file of a tutorial stands."""
        stem = name.removesuffix(".py")
        return (FIRST.index(stem) if stem in FIRST else len(FIRST)), stem
