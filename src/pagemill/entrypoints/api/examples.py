"""Examples that the documentation of several routes shares."""

from typing import Any

EXAMPLE_ID = "0199a3c4-7d52-7c31-9a42-6f0f5b1c2d3e"
EXAMPLE_URL = "https://files.example/reports/report.pdf"
EXAMPLE_DOCUMENT: dict[str, Any] = {
    "id": "0199a3c4-7d50-7b10-8c11-0d6a52f7e9aa",
    "filename": "report.pdf",
    "size_bytes": 482113,
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "media_type": "application/pdf",
    "source_url": None,
}
EXAMPLE_JOB: dict[str, Any] = {
    "id": EXAMPLE_ID,
    "status": "completed",
    "stage": "publish",
    "lane": "bulk",
    "tenant": "default",
    "priority": 0,
    "document": EXAMPLE_DOCUMENT,
    "options": {
        "pages": None,
        "formats": ["markdown", "json", "text", "html"],
        "providers": ["liteparse", "pdfium", "ppocr", "tesseract"],
        "keep_running_headers": False,
        "ocr": "auto",
        "mode": "fast",
        "languages": [],
    },
    "metadata": {"customer": "4711"},
    "document_pages": 12,
    "total_pages": 12,
    "processed_pages": 12,
    "failed_pages": [],
    "to_check": [7],
    "warnings": [],
    "error": None,
    "counters": {"crashes": 0, "errors": 0, "lost": 0},
    "run": 1,
    "revision": 1,
    "reused": False,
    "queue_position": None,
    "eta_seconds": None,
    "seconds": {"accept": 0.004, "plan": 0.02, "extract": 0.09, "join": 0.03},
    "cost": {"cpu_seconds": 0.14, "remote_calls": 0, "price": 0.0},
    "created_at": "2026-11-15T09:30:00.000Z",
    "started_at": "2026-11-15T09:30:00.012Z",
    "finished_at": "2026-11-15T09:30:00.170Z",
    "expires_at": "2026-11-22T09:30:00.000Z",
    "version": 5,
    "links": {"self": f"/v1/jobs/{EXAMPLE_ID}", "markdown": f"/v1/jobs/{EXAMPLE_ID}/markdown"},
}
# The same job just after it was accepted.
EXAMPLE_NEW_JOB: dict[str, Any] = EXAMPLE_JOB | {
    "status": "pending",
    "stage": "plan",
    "document_pages": None,
    "total_pages": None,
    "processed_pages": 0,
    "revision": 0,
    "queue_position": 0,
    "seconds": {"accept": 0.004},
    "cost": {"cpu_seconds": 0.0, "remote_calls": 0, "price": 0.0},
    "started_at": None,
    "finished_at": None,
    "version": 1,
}
EXAMPLE_CANCELLED_JOB: dict[str, Any] = EXAMPLE_NEW_JOB | {
    "status": "cancelled",
    "queue_position": None,
    "finished_at": "2026-11-15T09:30:01.500Z",
    "version": 2,
}
