import { ulid } from 'ulid';

/** The typed prefixes of the service's identifiers and what they name. */
export const idPrefixes = {
  apr: 'approval',
  att: 'attachment',
  aud: 'audit record',
  cmt: 'comment',
  cnv: 'conversation',
  evn: 'webhook event',
  inv: 'invitation',
  key: 'API key',
  mbr: 'member',
  mbx: 'mailbox',
  msg: 'message',
  raw: 'raw message',
  req: 'request',
  ses: 'session',
  tea: 'team',
  ten: 'workspace (tenant)',
} as const;

export type IdPrefix = keyof typeof idPrefixes;

/** A new identifier: prefix, underscore, ULID (48 bits of milliseconds, 80 random): sortable by time. */
export const newId = (prefix: IdPrefix): string => `${prefix}_${ulid()}`;

const shape = /^([a-z]{3})_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Whether a text could be an identifier of this kind. */
export const isId = (prefix: IdPrefix, text: string): boolean => shape.exec(text)?.[1] === prefix;

/** An identifier of the right form that nothing ever has (ULID zero is the year 1970, never made). */
export const unknownId = (prefix: IdPrefix): string => `${prefix}_${'0'.repeat(26)}`;
