"""Expands the rules of a file, one JSON object a line, by dateutil and by recurring-ical-events."""

import json
import re
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import recurring_ical_events
from dateutil.rrule import rruleset, rrulestr
from icalendar import Calendar

MAX = 400


def milliseconds(moment):
    return round(moment.timestamp() * 1000)


def unmixed(text):
    """dateutil leaves out plain weekdays beside those with an ordinal: it is asked for them one by one."""
    days = re.search(r"BYDAY=([^;]+)", text)
    if days is None or "BYSETPOS" in text:
        return [text]
    named = [day.lstrip("-0123456789") == day for day in days[1].split(",")]
    if all(named) or not any(named):
        return [text]
    return [text.replace(days[0], f"BYDAY={day}") for day in days[1].split(",")]


def by_dateutil(rule, start, excepted, before):
    dates = rruleset()
    for text in unmixed(rule["rrule"]):
        dates.rrule(rrulestr(text, dtstart=start))
    for moment in excepted:
        dates.exdate(moment.astimezone(start.tzinfo))
    found = []
    for moment in dates:
        if moment > before or len(found) >= MAX:
            break
        found.append(milliseconds(moment))
    return found


def by_events(rule, start, excepted, before):
    zone = rule["timeZone"]
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//x", "BEGIN:VEVENT", "UID:x",
        "DTSTAMP:20260101T000000Z",
        f"DTSTART;TZID={zone}:{start:%Y%m%dT%H%M%S}",
        "DURATION:PT1M",
        f"RRULE:{rule['rrule']}",
        *[f"EXDATE:{moment:%Y%m%dT%H%M%S}Z" for moment in excepted],
        "END:VEVENT", "END:VCALENDAR", "",
    ]
    calendar = Calendar.from_ical("\r\n".join(lines))
    # The end of a window does not belong to it.
    events = recurring_ical_events.of(calendar).between(
        start - timedelta(days=2), before + timedelta(milliseconds=1)
    )
    return sorted({milliseconds(event["DTSTART"].dt) for event in events})[:MAX]


def main():
    for line in sys.stdin:
        rule = json.loads(line)
        start = datetime.fromisoformat(rule["start"]).replace(tzinfo=ZoneInfo(rule["timeZone"]))
        moment = lambda ms: datetime.fromtimestamp(ms / 1000, timezone.utc)
        before = moment(rule["beforeMs"])
        excepted = [moment(ms) for ms in rule["exceptMs"]]
        answer = {}
        for name, expand in (("dateutil", by_dateutil), ("events", by_events)):
            try:
                answer[name] = expand(rule, start, excepted, before)
            except Exception as error:
                answer[name] = [repr(error)]
        print(json.dumps(answer), flush=True)


main()
