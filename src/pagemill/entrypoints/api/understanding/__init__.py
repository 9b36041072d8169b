"""Classes, routing rules and questions over HTTP."""
