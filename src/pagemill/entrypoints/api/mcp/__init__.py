"""The Model Context Protocol over HTTP: the API as tools for assistants."""
