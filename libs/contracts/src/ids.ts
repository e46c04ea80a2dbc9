import { decodeTime, ulid } from 'ulid';

/** The typed prefixes of the service's identifiers and what they name. */
export const idPrefixes = {
  abk: 'address book',
  apr: 'approval',
  att: 'attachment',
  aud: 'audit record',
  cal: 'calendar',
  cmt: 'comment',
  cnv: 'conversation',
  ctc: 'contact',
  dlv: 'webhook delivery',
  dom: 'domain',
  drf: 'draft',
  dlp: 'rule of data-loss prevention',
  evn: 'webhook event',
  evt: 'calendar event',
  imp: 'import',
  inv: 'invitation',
  key: 'API key',
  mbr: 'member',
  mbx: 'mailbox',
  msg: 'message',
  ntc: 'mail about an account',
  ocl: 'OAuth client',
  psk: 'passkey',
  raw: 'raw message',
  rem: 'reminder (of a snooze)',
  ref: 'refused write',
  req: 'request',
  ses: 'session',
  sig: 'signature',
  tea: 'team',
  ten: 'workspace (tenant)',
  tsk: 'task',
  whk: 'webhook subscription',
} as const;

export type IdPrefix = keyof typeof idPrefixes;

/** A new identifier: prefix, underscore, ULID (48 bits of milliseconds, 80 random): sortable by time. */
export const newId = (prefix: IdPrefix): string => `${prefix}_${ulid(undefined, randomOfOne())}`;

/** Asks for the random bytes of an identifier at once: ulid's own generator does so for each of its 16 characters. */
function randomOfOne(): () => number {
  const bytes = crypto.getRandomValues(new Uint8Array(16)).values();
  return () => (bytes.next().value ?? 0) / 256;
}

const ulidPattern = '[0-7][0-9A-HJKMNP-TV-Z]{25}';
const shape = new RegExp(`^([a-z]{3})_${ulidPattern}$`);

/**
 * The beginning of the ids of sandboxes, which no other ULID of this millennium has: each service knows one by its id
 * without asking, and no workspace ever becomes one, or stops being one.
 */
const sandboxStart = 'ten_7';

export const newSandboxId = (): string => sandboxStart + newId('ten').slice(sandboxStart.length);

/** True for a workspace that integrators test with: its mail never leaves, and it has a clock of its own. */
export const isSandbox = (tenantId: string): boolean => tenantId.startsWith(sandboxStart);

/** The regular expression of an identifier of this kind, for published schemas. */
export const idPattern = (prefix: IdPrefix): string => `^${prefix}_${ulidPattern}$`;

/** True if a text could be an identifier of this kind. */
export const isId = (prefix: IdPrefix, text: string): boolean => shape.exec(text)?.[1] === prefix;

/** The time in an id; 0 if it is none of the product's ids. */
export function timeOfId(id: string): number {
  try {
    return decodeTime(id.slice(id.indexOf('_') + 1));
  } catch {
    return 0;
  }
}

/** An identifier of the right form that nothing ever has (ULID zero is the year 1970, never made). */
export const unknownId = (prefix: IdPrefix): string => `${prefix}_${'0'.repeat(26)}`;
