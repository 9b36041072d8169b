"""Prints the OpenAPI document: `python -m tools.openapi`."""

import json

from tools.idle import idle_app

if __name__ == "__main__":
    with idle_app() as app:
        print(json.dumps(app.openapi(), indent=2))
