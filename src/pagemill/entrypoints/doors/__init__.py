"""Compatible APIs: what clients of other services call, over the same functions as /v1.

Each module is one of them; `PAGEMILL_DOORS` names those that are served.
"""

from collections.abc import Iterable

from starlette.routing import BaseRoute

from pagemill.entrypoints.doors import celery, ocr, upload

MODULES = {"celery": celery, "ocr": ocr, "upload": upload}


def chosen_routes(names: Iterable[str]) -> list[BaseRoute]:
    """The routes of the compatible APIs with these names."""
    return [route for name in dict.fromkeys(names) for route in MODULES[name].router.routes]
