"""Bad inputs over HTTP, each with the answer that it must get, in tables; every one is tried on a real server."""
