"""The language model of the settings: asked with the errors of this service, and counted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pagemill.db import usage
from pagemill.errors import ModelFailed, ModelNotConfigured, ModelUnavailable
from pagemill.mill import Mill
from pagemill.model.costs import Cost, day_of
from pagemill.model.extraction import ModelUse
from pagemill.reading.extraction.chat import ChatConfig, ChatModel, Refusal, TryLater
from pagemill.settings import Settings

LLM = "llm"


def chat_config(settings: Settings) -> ChatConfig | None:
    """The language model of the settings; None if there is none."""
    if not settings.llm_url:
        return None
    key = settings.llm_key.get_secret_value().strip() if settings.llm_key else ""
    return ChatConfig(settings.llm_url, settings.llm_model, key, settings.remote_timeout_seconds)


def require_chat(settings: Settings) -> ChatConfig:
    """The language model of the settings; ModelNotConfigured if there is none."""
    config = chat_config(settings)
    if config is None:
        raise ModelNotConfigured()
    return config


@contextmanager
def open_chat(config: ChatConfig, check: Callable[[], None] | None = None) -> Iterator[ChatModel]:
    """The model, ready to be asked; ModelUnavailable and ModelFailed say why it gave no answer.

    `check` is called before each question, and raises if no more are to be asked.
    """
    model = ChatModel(config, check=check)
    try:
        if wrong := config.wrong():
            raise Refusal(wrong)
        yield model
    except TryLater as later:
        raise ModelUnavailable(f"The language model can't answer now: {later}.") from later
    except Refusal as refusal:
        raise ModelFailed(f"The language model did not answer: {refusal}.") from refusal
    finally:
        model.close()


def price_of(mill: Mill, use: ModelUse) -> float:
    """What the calls to the model are charged, by the settings."""
    return round(use.calls * mill.engines.terms.call_prices.get(LLM, 0.0), 6)


def cost_of(mill: Mill, use: ModelUse) -> Cost:
    """What the calls to the model cost a job."""
    return Cost(remote_calls=use.calls, price=price_of(mill, use))


def count_use(mill: Mill, tenant: str, use: ModelUse) -> None:
    """Count the calls to the model for the tenant, as those of providers are, whatever came of them."""
    if not use.calls:
        return
    calls, price = use.calls, price_of(mill, use)
    mill.db.write(
        lambda tx: usage.add(tx, [usage.UsageRow(tenant, day_of(tx.now), remote_calls=calls, price=price)])
    )
