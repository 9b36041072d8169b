"""`pagemill convert`: an application that converts files and folders without a server."""
