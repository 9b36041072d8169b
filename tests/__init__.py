"""Tests of pagemill. The provider for fault tests is known to every mill that they start."""

import os

from tests.trial_provider import ENVIRONMENT

os.environ.update(ENVIRONMENT)
