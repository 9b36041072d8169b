"""Settings as the environment has them."""

import pytest
from pydantic import SecretStr

from pagemill.settings import Settings

SECRETS = [name for name, field in Settings.model_fields.items() if field.annotation == SecretStr | None]


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_that_is_set_to_nothing_is_not_set(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"PAGEMILL_{name.upper()}", "")
    assert getattr(Settings(), name) is None
    monkeypatch.setenv(f"PAGEMILL_{name.upper()}", "something")
    assert getattr(Settings(), name).get_secret_value() == "something"
