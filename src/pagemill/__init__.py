"""pagemill turns documents into clean, structured text."""


def __getattr__(name: str) -> str:
    """The version, looked up when it is asked for: every press child imports this module and never asks."""
    if name == "__version__":
        from importlib.metadata import version

        return version("pagemill")
    raise AttributeError(name)
