import type { Attachment } from 'postal-mime';
import { bytesOf } from './attachments.js';
import { limits } from './limits.js';
import { storableText } from './storable-text.js';

const types = new Set(['text/calendar', 'application/ics']);
/** What calendars send each other about an event (RFC 5546), of what is acted on. */
const method = /^METHOD:(?:REQUEST|REPLY|CANCEL)[ \t]*$/im;

/**
 * The first calendar part that asks for something, or answers (RFC 6047); undefined where there is none, and
 * for one that is too large to be read.
 */
export function calendarOf(attachments: readonly Attachment[]): string | undefined {
  const found = attachments
    .filter(({ mimeType }) => types.has(mimeType.toLowerCase()))
    .slice(0, limits.calendarsMax)
    .map(bytesOf)
    .filter(({ length }) => length <= limits.calendarBytesMax)
    .map((bytes) => storableText(lines(bytes.toString()), bytes.length));
  return found.find((text) => method.test(text));
}

/** Without control characters, which would make it six times as large in JSON. */
const lines = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]+/gu, '');
