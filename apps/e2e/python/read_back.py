"""Reads what mail_sink.py kept, as Python's own `email` and dkimpy understand it.

usage: read_back.py FOLDER [NAMES]
NAMES is a JSON object of DNS names and their TXT records, which DKIM is verified with.
prints a JSON object: the messages, in the order in which they came, and the passwords that were told.
"""

import base64
import email
import email.policy
import email.utils
import json
import os
import re
import sys
from email.header import decode_header, make_header

import dkim


def main(folder, names="{}"):
    records = json.loads(names)
    files = sorted(name for name in os.listdir(folder) if name.endswith(".eml"))
    messages = [read(os.path.join(folder, name), records) for name in files]
    path = os.path.join(folder, "passwords.jsonl")
    passwords = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            passwords = [json.loads(line) for line in file]
    print(json.dumps({"messages": messages, "passwords": passwords}))


def read(path, records):
    with open(path, "rb") as file:
        raw = file.read()
    with open(path.replace(".eml", ".json"), encoding="utf-8") as file:
        envelope = json.load(file)
    message = email.message_from_bytes(raw, policy=email.policy.default)
    bodies = [message.get_body((kind,)) for kind in ("plain", "html")]
    text, html = [body and body.get_content() for body in bodies]
    return {
        "envelope": envelope,
        "form": form(raw),
        "defects": [repr(one) for part in message.walk() for one in defects(part)],
        "headers": {name.lower(): str(value) for name, value in message.items()},
        "names": [name.lower() for name in message.keys()],
        "from": addresses(message, "from"),
        "to": addresses(message, "to"),
        "cc": addresses(message, "cc"),
        "date": message["date"].datetime.timestamp() * 1000,
        "text": text,
        "html": html,
        "attachments": [attachment(part) for part in message.iter_attachments()],
        "dkim": verified(raw, records),
    }


def defects(part):
    return [*part.defects, *(one for value in part.values() for one in value.defects)]


def addresses(message, field):
    """Names with the decoder of unstructured fields: before Python 3.13 the other one keeps the blank
    between two encoded words of a name."""
    fields = [str(value).encode("utf-8", "surrogateescape").decode()
              for name, value in message.raw_items() if name.lower() == field]
    pairs = email.utils.getaddresses([re.sub(r"\r?\n", "", one) for one in fields])
    return [[str(make_header(decode_header(name))), address] for name, address in pairs]


def attachment(part):
    # A message within is parsed, and written anew here.
    inner = part.get_payload() if part.get_content_type() == "message/rfc822" else None
    wire = email.policy.SMTP
    content = inner[0].as_bytes(policy=wire) if inner else part.get_payload(decode=True)
    return {
        "filename": part.get_filename(),
        "type": part.get_content_type(),
        "base64": base64.b64encode(content).decode(),
    }


def form(raw):
    """What of it no relay may be troubled with (RFC 5322 §2.1.1, RFC 5321 §4.5.3.1.6)."""
    lines = raw.split(b"\r\n")
    head = lines[: lines.index(b"")]
    folded = [line for line in head if re.match(rb"[ \t]", line)]
    return {
        "longest": max(map(len, lines)),
        "longestOfHead": max(map(len, head)),
        # A word of one line alone has nowhere to be folded.
        "unfolded": [line.decode("latin-1") for line in head
                     if len(line) > 78 and re.search(rb"\S\s+\S", line.partition(b":")[2])
                     and line not in folded],
        "isAscii": raw.isascii(),
        "bareLineEnds": len(re.findall(rb"\r(?!\n)|(?<!\r)\n", raw)),
        "emptyFolds": sum(1 for line in folded if not line.strip()),
    }


def verified(raw, records):
    if not records:
        return None

    def lookup(name, timeout=5):
        return records.get(name.decode().rstrip("."), "").encode() or None

    return dkim.verify(raw, dnsfunc=lookup)


main(*sys.argv[1:])
