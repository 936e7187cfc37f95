import base64
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from webhook import is_authentic

# No signature raises an exception.
digits = ["0" * 64, "\xff" * 64, "\ud800" * 64, "\uff11" * 64]
for odd in [None, 1, b"\xff", b"sha256=" + b"0" * 64, ["sha256="], *("sha256=" + text for text in digits)]:
    assert is_authentic(b"secret", odd, b"") is False

for line in sys.stdin:
    secret, signature, body = (base64.b64decode(field) for field in line.rstrip("\n").split(" "))
    print(str(is_authentic(secret, signature.decode("latin-1") or None, body)).lower())
