"""Writes cards of vCard 3.0 of what stands on its input, in the form that EzVcard.java describes."""

import base64
import sys

import vobject

names = {"fn": "fn", "email": "email", "tel": "tel", "title": "title", "note": "note"}

for contact in sys.stdin.buffer.read().decode("utf-8").split("\n\n"):
    if not contact.strip():
        continue
    card = vobject.vCard()
    name = {}
    groups = []
    for line in contact.strip().split("\n"):
        prop, kind, text = line.split(" ")
        value = base64.b64decode(text).decode("utf-8")
        if prop in ("family", "given"):
            name[prop] = value
        elif prop == "group":
            groups.append(value)
        elif prop == "org":
            card.add("org").value = [value]
        else:
            added = card.add(names[prop])
            added.value = value
            if kind != "-":
                added.type_param = kind.upper()
    card.add("n").value = vobject.vcard.Name(**name)
    if groups:
        card.add("categories").value = groups
    sys.stdout.buffer.write(card.serialize().encode("utf-8"))
