import base64
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from webhook import is_authentic

for line in sys.stdin:
    secret, signature, body = (base64.b64decode(field) for field in line.rstrip("\n").split(" "))
    print(str(is_authentic(secret, signature.decode() or None, body)).lower())
