import type { Account, ApprovalRequest } from '@postroom/contracts';
import { urlOf } from '../../api/api.js';
import { browserZone, timeText } from '../../ui/time.js';
import { draftIn, mailboxOf, type Fields } from './headline.js';
import { plainValue, timeOf, wordsOf } from './plain-value.js';
import { readableMail } from './readable-mail.js';

/** A field as it is shown: new, changed or going. */
export interface ShownField {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface ShownRequest {
  readonly kind: 'create' | 'update' | 'remove' | 'unknown';
  /** The fields that decide: recipient, subject, text first. */
  readonly main: readonly ShownField[];
  /** The rest, folded. */
  readonly rest: readonly ShownField[];
}

/** Fields that matter, in the order in which they are read. */
const order = [
  ...['to', 'cc', 'bcc', 'subject', 'body', 'comment', 'attachments'],
  ...['displayName', 'givenName', 'familyName', 'emails', 'phones', 'organization', 'jobTitle'],
  ...['title', 'startMs', 'endMs', 'dueMs', 'timeZone', 'allDay', 'location', 'conferenceLink'],
  ...[
    'attendees',
    'recurrence',
    'created',
    'organizer',
    'busy',
    'description',
    'notes',
    'name',
    'scope',
  ],
  ...['status', 'placement', 'assignee', 'teamId', 'labels', 'snoozedUntil', 'unread'],
  ...[
    'priority',
    'threadId',
    'reminders',
    'groups',
    'addresses',
    'birthday',
    'urls',
    'visibility',
    'color',
  ],
];

/** Fields that follow from others, or that the server keeps for itself. */
const derived = /Local$|^commentCount$|^(created|updated|completed)(At|By)$|^version$|^uid$/;
const folded = new Set([
  ...['timeZone', 'allDay', 'visibility', 'scope', 'color', 'threadId', 'givenName', 'familyName'],
]);

export const isDerived = (name: string): boolean => derived.test(name);

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

const rank = (name: string): number => {
  const at = order.indexOf(name);
  return at < 0 ? order.length : at;
};

const kindOf = (before: Fields | null, after: Fields | null): ShownRequest['kind'] => {
  if (before && after) return 'update';
  if (after) return 'create';
  return before ? 'remove' : 'unknown';
};

/** Fields that are read where others of their name are folded, or empty. */
function isReadAnyway(approval: ApprovalRequest, { name, before, after }: ShownField): boolean {
  if (name === 'to') return approval.operation === 'drafts.create';
  // The conversation of any other request stands beside it.
  return name === 'threadId' && mailboxOf(approval) === null && !isEmpty(after ?? before);
}

/** The effect of a write, in the order in which it is read; from the payload alone where the server shows no difference. */
export function shownRequest(approval: ApprovalRequest): ShownRequest {
  const { difference, payload } = approval;
  const { before = null, after = null } = difference ?? {};
  const kind = kindOf(before, after);
  const given = kind === 'unknown' ? payload : after;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(given ?? {})])];
  const fields = names
    .map((name) => ({ name, before: before?.[name], after: given?.[name] }))
    .map((field) => (field.name === 'attachments' ? withFiles(approval, field) : field))
    .toSorted((one, other) => rank(one.name) - rank(other.name));
  const isMain = (field: ShownField): boolean => {
    if (isDerived(field.name)) return false;
    if (kind === 'update' || isReadAnyway(approval, field)) return true;
    if (rank(field.name) === order.length) return false;
    return !folded.has(field.name) && !isEmpty(kind === 'remove' ? field.before : field.after);
  };
  const main = fields.filter(isMain);
  const isRest = (field: ShownField): boolean =>
    !main.includes(field) && (kind === 'unknown' || !isDerived(field.name));
  return { kind, main, rest: fields.filter(isRest) };
}

/** The subject stands in a line of its own. */
const titles = new Set(['subject', 'title', 'displayName', 'attachments', 'threadId']);
const rowTextMax = 200;

/** By what a request differs from others of its kind: to whom, what it says, what it changes. */
export function rowTextOf(approval: ApprovalRequest, account: Account): string {
  const told = shownRequest(approval).main.flatMap(({ name, before, after }) => {
    const value = titles.has(name) ? null : shortValue(name, after ?? before, account);
    if (value === null) return [];
    return ['body', 'comment', 'description'].includes(name) ? value : `${labelOf(name)} ${value}`;
  });
  return told.join(' · ').slice(0, rowTextMax);
}

function shortValue(name: string, value: unknown, account: Account): string | null {
  const time = timeOf(name, value);
  if (time !== null) return timeText(time, browserZone);
  const text = plainValue(name, value, account);
  // More than a row shows is not read.
  const some = text?.slice(0, 4_000) ?? null;
  const read = name === 'body' && some !== null ? readableMail(some) : some;
  return read?.replaceAll(/\s+/g, ' ').slice(0, rowTextMax) ?? null;
}

/** A file as it is shown, with the address that opens it. */
export interface ShownFile {
  readonly filename?: string | null;
  readonly mimeType?: string | null;
  readonly size?: number;
  readonly href: string;
}

const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? (value as readonly Fields[]) : [];

/** Files with their addresses. One that the request brings itself is stored nowhere before it is approved. */
function withFiles(approval: ApprovalRequest, field: ShownField): ShownField {
  const mailbox = mailboxOf(approval);
  const brought = listOf(draftIn(approval.payload).attachments);
  const stored = (file: Fields): Fields => ({
    ...file,
    href: urlOf(`/v1/attachments/${String(file.id ?? file.uploadId)}`, { mailbox }),
  });
  const given = (file: Fields, at: number): Fields => {
    const content = brought[at]?.contentBase64;
    return typeof content === 'string'
      ? { ...file, href: `data:application/octet-stream;base64,${content}` }
      : stored(file);
  };
  return {
    ...field,
    before: field.before && listOf(field.before).map(stored),
    after: field.after && listOf(field.after).map(given),
  };
}

const labels: Readonly<Record<string, string>> = {
  ...{
    to: 'To',
    cc: 'Cc',
    bcc: 'Bcc',
    body: 'Text',
    attachments: 'Files',
    threadId: 'Conversation',
  },
  ...{ startMs: 'Starts', endMs: 'Ends', dueMs: 'Due', allDay: 'All day', teamId: 'Team' },
  ...{ displayName: 'Name', emails: 'Email', phones: 'Phone', urls: 'Links', placement: 'Place' },
  ...{ snoozedUntil: 'Snoozed until', bookId: 'Address book', calendarId: 'Calendar' },
  ...{
    signatureId: 'Signature',
    conferenceLink: 'Meeting link',
    ownerUid: 'Owner',
    recurrence: 'Repeats',
    created: 'Also made',
  },
};

/** A field's name in words. */
export const labelOf = (name: string): string => {
  const known = Object.hasOwn(labels, name) ? labels[name] : undefined;
  if (known !== undefined) return known;
  const words = wordsOf(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
};
