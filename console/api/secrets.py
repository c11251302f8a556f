"""Secrets at rest: encrypted with the key of the installation, readable only by it."""

from __future__ import annotations

import json
from typing import Any

from cryptography.fernet import Fernet
from django.conf import settings


def encrypt(value: Any) -> str:
    """Any JSON value as an authenticated cipher text."""
    return Fernet(settings.ENCRYPTION_KEY).encrypt(json.dumps(value).encode()).decode()


def decrypt(text: str) -> Any:
    """What `encrypt` was given.

    Raises:
        cryptography.fernet.InvalidToken: another key made it, or it was changed.
    """
    return json.loads(Fernet(settings.ENCRYPTION_KEY).decrypt(text.encode()))
