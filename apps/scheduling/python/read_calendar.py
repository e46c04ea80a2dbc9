"""Reads a calendar file by the package icalendar, and says what its events say, one JSON object a line."""

import json
import sys
from datetime import date, datetime, timezone

from icalendar import Calendar


def moment(value):
    if isinstance(value, datetime):
        return round(value.timestamp() * 1000)
    return value.isoformat() if isinstance(value, date) else None


def listed(value):
    return [] if value is None else value if isinstance(value, list) else [value]


def person(value):
    return {
        "email": str(value).removeprefix("mailto:"),
        "name": value.params.get("CN"),
        "role": value.params.get("ROLE"),
        "status": value.params.get("PARTSTAT"),
    }


def facts(event):
    rule = event.get("RRULE")
    return {
        "uid": str(event["UID"]),
        "title": str(event["SUMMARY"]),
        "description": str(event.get("DESCRIPTION", "")),
        "location": str(event.get("LOCATION", "")),
        "start": moment(event["DTSTART"].dt),
        "zone": event["DTSTART"].params.get("TZID"),
        "end": moment(event["DTEND"].dt),
        "status": str(event["STATUS"]),
        "transp": str(event["TRANSP"]),
        "rrule": None if rule is None else rule.to_ical().decode(),
        "exdates": [moment(one.dt) for value in listed(event.get("EXDATE")) for one in value.dts],
        "occurrence": moment(event["RECURRENCE-ID"].dt) if "RECURRENCE-ID" in event else None,
        "organizer": person(event["ORGANIZER"]) if "ORGANIZER" in event else None,
        "attendees": [person(one) for one in listed(event.get("ATTENDEE"))],
        "conference": str(event["CONFERENCE"]) if "CONFERENCE" in event else None,
        "alarms": [round(-one["TRIGGER"].dt.total_seconds() / 60) for one in event.walk("VALARM")],
        "errors": [str(error) for error in event.errors],
    }


calendar = Calendar.from_ical(sys.stdin.buffer.read())
print(json.dumps({"errors": [str(error) for error in calendar.errors]}))
for event in calendar.walk("VEVENT"):
    print(json.dumps(facts(event)))
