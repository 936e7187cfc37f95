import hashlib
import hmac
import os
import re


def is_authentic(secret: bytes, signature: str | None, body: bytes) -> bool:
    """`signature` is the header X-Service-Signature, and `body` is the raw request body."""
    if not secret:  # Anyone can sign with an empty secret.
        return False
    if not isinstance(signature, str) or not re.fullmatch("sha256=[0-9A-Fa-f]{64}", signature):
        return False
    expected = hmac.new(secret, body, hashlib.sha256).digest()
    return hmac.compare_digest(expected, bytes.fromhex(signature[7:]))


def read_secret() -> bytes:
    """Returns the secret in the environment. Exits if it is empty, or was not copied exactly."""
    secret = os.environ.get("PROFILE_WEBHOOK_SECRET", "")
    if not secret:
        raise SystemExit("PROFILE_WEBHOOK_SECRET is not set")
    if secret != secret.strip(" \t\r\n").removeprefix("\ufeff"):
        raise SystemExit("PROFILE_WEBHOOK_SECRET starts or ends with white space or a byte order mark")
    return os.fsencode(secret)
