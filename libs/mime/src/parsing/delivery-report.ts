import type { Attachment } from 'postal-mime';
import { bytesOf } from './attachments.js';
import { firstMessageId, headerFields, headerValue, type HeaderFields } from './header-fields.js';
import { limits } from './limits.js';
import type { Bounced } from './parsed-message.js';
import { storableLine } from './storable-text.js';

const returned = /^(?:message\/(?:rfc822|global)|text\/rfc822-headers|message\/global-headers)$/i;
const deliveryStatus = /^message\/(?:global-)?delivery-status$/i;
const feedback = 'message/feedback-report';
const headBytes = 64 * 1024;
const reasonCharactersMax = 500;

/** The content of a report on a message of ours. */
export interface DeliveryReport {
  /** The Message-ID of the message that it is about; null if it does not say. */
  readonly messageId: string | null;
  /** False for a report without a failure (RFC 3464 §2.3.3). */
  readonly isFailure: boolean;
  readonly bounced: Bounced;
}

/**
 * Reads a report on a delivery: by RFC 3464, a complaint by RFC 5965, or the prose of older servers (qmail, Exim,
 * Yahoo), which name the address on a line of its own and append a copy of the message.
 */
export function deliveryReport(
  headers: HeaderFields,
  attachments: readonly Attachment[],
  text: string,
): DeliveryReport {
  const original = attachments.find(({ mimeType }) => returned.test(mimeType));
  const head = original ? firstFields(textOf(original)) : [];
  const messageId = firstMessageId(headerValue(head, 'message-id')) ?? messageIdInCopy(text);
  const complaint = attachments.find(({ mimeType }) => mimeType === feedback);
  if (complaint) {
    const bounced = complained(firstFields(textOf(complaint)), head);
    return { messageId, isFailure: true, bounced };
  }
  const groups = attachments
    .filter(({ mimeType }) => deliveryStatus.test(mimeType))
    .flatMap((part) => textOf(part).split(/\r?\n\r?\n/))
    .map(fieldsOf)
    .filter((fields) => actionsIn(fields).length > 0);
  const failed = groups.find((fields) => actionsIn(fields).includes('failed'));
  const group = failed ?? groups[0];
  const isFailure = group === undefined || failed !== undefined;
  const bounced = group ? told(group, isFailure) : inProse(headers, text);
  return { messageId, isFailure, bounced };
}

const textOf = (part: Attachment): string => bytesOf(part).toString('latin1', 0, headBytes);
const fieldsOf = (group: string): HeaderFields => headerFields(group.split(/\r?\n/));

function firstFields(text: string): HeaderFields {
  const end = text.search(/\r?\n\r?\n/);
  return fieldsOf(end < 0 ? text : text.slice(0, end));
}

/** More than one only where the empty line between two recipients is missing. */
const actionsIn = (fields: HeaderFields): string[] =>
  fields
    .filter(({ key }) => key === 'action')
    .flatMap(({ value }) => /^[a-z]+/i.exec(value)?.[0].toLowerCase() ?? []);

/** The address in a field such as `rfc822; ann@x.test`. */
const addressIn = (value: string): string | null =>
  /([^\s<>;,"]+@[^\s<>;,"]+)/
    .exec(value.slice(0, 1000))?.[1]
    ?.slice(0, limits.emailCharactersMax) ?? null;

const statusIn = (text: string): string | null =>
  /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/.exec(text.slice(0, 2000))?.[0] ?? null;

const reason = (text: string): string | null => storableLine(text, reasonCharactersMax) || null;

/** RFC 3464 §2.3. */
function told(fields: HeaderFields, isFailure: boolean): Bounced {
  const diagnostic = headerValue(fields, 'diagnostic-code').replace(/^[\w-]+\s*;\s*/, '');
  const recipient = ['final-recipient', 'original-recipient']
    .map((name) => addressIn(headerValue(fields, name)))
    .find((one) => one !== null);
  return {
    recipient: recipient ?? null,
    status: statusIn(headerValue(fields, 'status')) ?? statusIn(diagnostic),
    action: isFailure ? 'failed' : (actionsIn(fields)[0] ?? '').slice(0, 40),
    text: reason(diagnostic),
  };
}

/** RFC 5965 §3.2. */
function complained(fields: HeaderFields, head: HeaderFields): Bounced {
  const named = headerValue(fields, 'original-rcpt-to') || headerValue(fields, 'removal-recipient');
  return {
    recipient: addressIn(named) ?? addressIn(headerValue(head, 'to')),
    status: null,
    action: 'complained',
    text: reason(headerValue(fields, 'feedback-type')),
  };
}

const copy = /^[>\s]*-{2,}.{0,40}\b(?:copy of|original message|below this line|returned message)/i;
const named = /^[ \t]*<?([^\s<>@:;,"]+@[^\s<>:;,"]+)>?:?[ \t]*(?:\(.{0,80}\))?$/;
const messageIdLine = /^[>\t ]*message-id:[ \t]*(<[^<>\s]{1,998}>)/im;

const messageIdInCopy = (text: string): string | null =>
  firstMessageId(messageIdLine.exec(text)?.[1] ?? '');

/** The reason stands on the lines below the address. */
function inProse(headers: HeaderFields, text: string): Bounced {
  const lines = text.slice(0, headBytes).split('\n');
  const end = lines.findIndex((line) => copy.test(line.slice(0, 200)));
  const own = end < 0 ? lines : lines.slice(0, end);
  const at = own.findIndex((line) => named.test(line.slice(0, 400)));
  const below =
    at < 0
      ? []
      : own
          .slice(at + 1)
          .join('\n')
          .trim()
          .split(/\n\s*\n/, 1);
  const found = named.exec(own[at]?.slice(0, 400) ?? '')?.[1] ?? null;
  const why = below.join(' ');
  return {
    recipient: addressIn(headerValue(headers, 'x-failed-recipients')) ?? found,
    status: statusIn(why) ?? statusIn(own.join(' ')),
    action: 'failed',
    text: reason(why),
  };
}
