"""Imports real mail as an outside client would, and reads every message of it back.

Knows the product by its HTTP interface alone, and mail by Python's own libraries.

usage: round_trip.py DEMO_JSON FOLDER_OF_EML
prints a JSON object: the import's counts, and each difference between a file and what the API shows.
"""

import email
import email.header
import email.utils
import http.cookiejar
import json
import mailbox
import os
import re
import sys
import tempfile
import urllib.parse
import urllib.request
import uuid


# Messages so broken that to read them otherwise than Python is no fault: each with the field and why.
BROKEN = {
    "error_emails--bad_encoded_subject.eml": {"subject": "a charset named NONE"},
    "error_emails--missing_body.eml": {"to": "a group without its name's end"},
    "plain_emails--mix_caps_content_type.eml": {"from": "words and an address without brackets"},
    "plain_emails--raw_email_incorrect_header.eml": {"*": "a head broken by a line without a colon"},
    "plain_emails--raw_email_multiple_from.eml": {"from": "an address in two", "to": "the same"},
    "plain_emails--raw_email_with_at_display_name.eml": {"to": "names with @, not quoted"},
    "rfc2822--example13.eml": {"*": "blanks before colons, which mbox writers take for a separator"},
}


class Api:
    """The settings API, signed in; and the public API, with a key."""

    def __init__(self, demo):
        self.demo = demo
        self.opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        )

    def settings(self, path, body, content_type="application/json"):
        data = json.dumps(body).encode() if content_type == "application/json" else body
        headers = {"Content-Type": content_type}
        request = urllib.request.Request(self.demo["settingsUrl"] + path, data, headers)
        with self.opener.open(request) as answer:
            return json.load(answer)

    def public(self, key, path, **query):
        url = self.demo["baseUrl"] + path + "?" + urllib.parse.urlencode(query)
        request = urllib.request.Request(url, headers={"X-Api-Key": key})
        with self.opener.open(request) as answer:
            body = answer.read()
            return body if path.startswith("/v1/attachments/") else json.loads(body)


def main(demo_file, folder):
    with open(demo_file, encoding="utf-8") as file:
        demo = json.load(file)
    api = Api(demo)
    admin = demo["tenants"][0]["admin"]
    api.settings("/session", {"email": admin["email"], "password": admin["password"]})
    address = f"import-{uuid.uuid4()}@{demo['tenants'][0]['name']}.test"
    box = api.settings("/mailboxes", {"address": address})["mailbox"]
    grant = {"address": address, "access": "read"}
    wishes = {"name": "Reader", "scopes": ["read:conversations"], "mailboxes": [grant]}
    key = api.settings("/keys", wishes)["secret"]

    files = sorted(name for name in os.listdir(folder) if name.endswith(".eml"))
    raws = {}
    with tempfile.TemporaryDirectory() as temporary:
        path = os.path.join(temporary, "mail.mbox")
        box_file = mailbox.mbox(path)
        for name in files:
            with open(os.path.join(folder, name), "rb") as file:
                raws[name] = file.read()
            box_file.add(raws[name])
        box_file.close()
        with open(path, "rb") as file:
            mbox = file.read()
    import_path = f"/mailboxes/{box['id']}/import"
    first = api.settings(import_path, mbox, "application/mbox")
    again = api.settings(import_path, mbox, "application/mbox")

    messages = read_all(api, key, address)
    differences = {}
    for name, raw in raws.items():
        known = BROKEN.get(name, {})
        if "*" in known:
            continue
        found = [difference(raw, message, api, key, address) for message in messages]
        found = [{field: one[field] for field in one if field not in known} for one in found]
        best = min(found, key=len)
        if best:
            differences[name] = best
    print(json.dumps({"files": len(files), "first": first, "again": again,
                      "messages": len(messages), "differences": differences}))


def read_all(api, key, address):
    messages, token = [], None
    while True:
        query = {"mailbox": address, "limit": 100}
        if token:
            query["pageToken"] = token
        page = api.public(key, "/v1/conversations", **query)
        for item in page["conversations"]:
            whole = api.public(key, f"/v1/conversations/{item['id']}", mailbox=address)
            messages += whole["conversation"]["messages"]
        token = page["nextPageToken"]
        if not token:
            return messages


def difference(raw, shown, api, key, address):
    """What the API shows otherwise than Python reads it; empty when nothing is."""
    message = email.message_from_bytes(raw)
    wrong = {}
    expected = {
        "subject": words(field_of(message, "subject")),
        "from": addresses(message, "from")[:1],
        "to": addresses(message, "to"),
        "cc": addresses(message, "cc"),
        "text": text_of(message),
        "attachments": attachments_of(message),
    }
    actual = {
        "subject": squeezed(shown["subject"]),
        "from": [shown["from"]["email"].lower()] if shown["from"] else [],
        "to": [one["email"].lower() for one in shown["to"]],
        "cc": [one["email"].lower() for one in shown["cc"]],
        "text": None if expected["text"] is None else plain(shown["text"] or ""),
    }
    for field, value in actual.items():
        if value != expected[field]:
            wrong[field] = [expected[field], value]
    # Bytes are fetched only of what may be the message.
    if len(wrong) < 3:
        path = "/v1/attachments/"
        files = [api.public(key, path + one["id"], mailbox=address) for one in shown["attachments"]]
        sizes = [one["size"] for one in shown["attachments"]]
        if sizes != [len(one) for one in files]:
            wrong["sizes"] = [sizes, [len(one) for one in files]]
        files = [one for one in files if one.strip()]
        lengths = [len(one) for one in expected["attachments"]]
        same = [a == b for a, b in zip(expected["attachments"], files)]
        # A message within is parsed by Python, and written anew: ours must be in the file as it is.
        whole = [one in raw for one in files]
        if not all(a or b for a, b in zip(same, whole)) or len(files) != len(lengths):
            wrong["attachments"] = [lengths, [len(one) for one in files], same]
    else:
        wrong["attachments"] = ["not fetched"]
    return wrong


def words(value):
    try:
        return squeezed(str(email.header.make_header(email.header.decode_header(value))))
    except (LookupError, ValueError):
        return squeezed(value)


def field_of(message, name):
    """The first field of a name; bytes beyond ASCII are UTF-8, or else of a charset not told."""
    for key, value in message.raw_items():
        if key.lower() == name:
            raw = str(value).encode("ascii", "surrogateescape")
            try:
                return raw.decode("utf-8")
            except UnicodeDecodeError:
                return raw.decode("latin-1")
    return ""


def plain(text):
    """ASCII alone: what a text beyond it means without a charset told is anybody's guess."""
    return squeezed(re.sub(r"[^\x00-\x7f]+", " ", text))


def squeezed(text):
    return re.sub(r"\s+", " ", text).strip()


def addresses(message, field):
    pairs = email.utils.getaddresses([field_of(message, field)])
    return [address.lower() for _, address in pairs if address]


def leaves(message):
    """The parts that hold something; a forwarded message is one of them."""
    if message.get_content_maintype() == "message" or not message.is_multipart():
        yield message
    else:
        for part in message.get_payload():
            yield from leaves(part)


def is_text(part):
    return (
        part.get_content_type() in ("text/plain", "text/html")
        and part.get_content_disposition() != "attachment"
    )


def text_of(message):
    """The plain text; none where the message has HTML alone, which is no concern here."""
    parts = [part for part in leaves(message) if is_text(part)]
    texts = [part for part in parts if part.get_content_type() == "text/plain"]
    if not texts:
        return None if parts else ""
    return plain("\n".join(decoded(part) for part in texts))


def decoded(part):
    payload = part.get_payload(decode=True) or b""
    charset = part.get_content_charset() or "utf-8"
    try:
        return payload.decode(charset, "replace")
    except LookupError:
        return payload.decode("utf-8", "replace")


def attachments_of(message):
    payloads = [payload_of(part) for part in leaves(message) if not is_text(part)]
    return [payload for payload in payloads if payload.strip()]


def payload_of(part):
    if part.get_content_type().startswith("message/") and part.is_multipart():
        return b"".join(inner.as_bytes(unixfrom=True) for inner in part.get_payload())
    return part.get_payload(decode=True) or b""


main(*sys.argv[1:])
