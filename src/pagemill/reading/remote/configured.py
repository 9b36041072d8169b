"""The remote providers as the settings describe them."""

from pagemill.reading.remote.mistral import MistralConfig, MistralProvider
from pagemill.reading.remote.vlm import VlmConfig, VlmProvider
from pagemill.settings import Settings


def vlm() -> VlmProvider:
    """The vision model at PAGEMILL_VLM_URL."""
    settings = Settings()
    key = settings.vlm_key.get_secret_value().strip() if settings.vlm_key else ""
    return VlmProvider(
        VlmConfig(
            settings.vlm_url, settings.vlm_model, key, settings.vlm_prompt, settings.remote_timeout_seconds
        )
    )


def mistral() -> MistralProvider:
    """Mistral OCR with the key in PAGEMILL_MISTRAL_KEY."""
    settings = Settings()
    key = settings.mistral_key.get_secret_value().strip() if settings.mistral_key else ""
    return MistralProvider(
        MistralConfig(key, settings.mistral_url, settings.mistral_model, settings.remote_timeout_seconds)
    )
