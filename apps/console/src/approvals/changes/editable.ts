import type { Fields } from '../request/headline.js';
import { timeOf } from '../request/plain-value.js';
import { isHtml } from '../request/readable-mail.js';

export type EditKind = 'mail' | 'text' | 'line' | 'people' | 'words' | 'time' | 'yes';

/** A part of a request that a member may change before approving it. */
export interface Editable {
  /** The path of the field, as `draft.subject`. */
  readonly path: string;
  /** Its own name. */
  readonly name: string;
  readonly kind: EditKind;
  readonly value: unknown;
}

/** Another place or target is another request: the server refuses it. */
const fixed = new Set(['id', 'mailbox', 'bookId', 'calendarId', 'threadId', 'inReplyTo', 'scope']);
const long = new Set(['body', 'text', 'notes', 'description']);

const isPerson = (one: unknown): boolean =>
  typeof one === 'object' && one !== null && typeof (one as Fields).email === 'string';

function kindOf(name: string, value: unknown): EditKind | null {
  if (fixed.has(name)) return null;
  if (typeof value === 'boolean') return 'yes';
  if (timeOf(name, value) !== null) return 'time';
  if (typeof value === 'string') return kindOfText(name, value);
  return Array.isArray(value) && value.length > 0 ? kindOfList(name, value) : null;
}

function kindOfText(name: string, value: string): EditKind {
  if (name === 'body' && isHtml(value)) return 'mail';
  return long.has(name) || value.includes('\n') ? 'text' : 'line';
}

function kindOfList(name: string, value: readonly unknown[]): EditKind | null {
  if (value.every((one) => typeof one === 'string')) return 'words';
  return value.every(isPerson) && ['to', 'cc', 'bcc'].includes(name) ? 'people' : null;
}

/** The editable parts of a request, those of an inner object too. */
export function editablesOf(payload: Fields, before = ''): readonly Editable[] {
  return Object.entries(payload).flatMap(([name, value]) => {
    const path = `${before}${name}`;
    const kind = kindOf(name, value);
    if (kind) return [{ path, name, kind, value }];
    const isInner = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isInner && before === '' && !fixed.has(name)
      ? editablesOf(value as Fields, `${path}.`)
      : [];
  });
}

/** The request with other values at some places. */
export function withChanges(payload: Fields, changes: Fields): Fields {
  return Object.entries(changes).reduce<Fields>((changed, [path, value]) => {
    const [outer = '', inner] = path.split('.');
    if (inner === undefined) return { ...changed, [outer]: value };
    return { ...changed, [outer]: { ...(changed[outer] as Fields), [inner]: value } };
  }, payload);
}
