"""What an installation is made of, checked with the tools of its makers and against the settings, commands and meters."""
