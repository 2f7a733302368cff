"""The errors of egonet: each one sentence that says the rule, what came instead, and the way out."""


class EgonetError(Exception):
    """Anything egonet raises on purpose; also a subclass of the built-in a caller would expect."""


class IgnoredInputWarning(UserWarning):
    """Something in the input plays no part in the result; the message names the option that changes or silences it."""


class InputError(EgonetError, ValueError):
    """An argument or a value in the data breaks a rule."""


class OptionError(InputError, TypeError):
    """A keyword does not exist, or excludes another one that was given."""


class FileError(InputError):
    """A file could be opened but does not hold what it should; the message names file and place."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no file of that name."""


class UnknownNodeError(EgonetError, KeyError):
    """A node was asked for that the graph does not have."""

    def __str__(self) -> str:
        """Return the sentence itself; KeyError would show it in quotes."""
        return str(self.args[0]) if self.args else ""


class MissingExtraError(EgonetError, ImportError):
    """An optional package is needed and not installed; the message has the command that installs it."""


class MemoryLimitError(EgonetError, MemoryError):
    """The predicted result is larger than the memory the caller allowed."""


class OutputError(EgonetError, OSError):
    """A result could not be written; nothing was left behind under the final name."""


class DeviceError(EgonetError, RuntimeError):
    """A GPU was asked for and none can be used; the message says why."""


class DeviceMemoryError(DeviceError, MemoryError):
    """The GPU has too little memory, and smaller batches do not help."""
