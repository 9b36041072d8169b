"""What is common to everything that is served over HTTP: connections, headers, bodies, problems."""
