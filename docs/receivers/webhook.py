import hashlib
import hmac
import re


def is_authentic(secret: bytes, signature: str | None, body: bytes) -> bool:
    """`signature` is the header X-Service-Signature, and `body` is the raw request body."""
    if not isinstance(signature, str) or not re.fullmatch("sha256=[0-9A-Fa-f]{64}", signature):
        return False
    expected = hmac.new(secret, body, hashlib.sha256).digest()
    return hmac.compare_digest(expected, bytes.fromhex(signature[7:]))
