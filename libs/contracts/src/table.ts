import { analytics, mailVolumes } from './analytics/index.js';
import { attachments, conversations, search, triage } from './conversations/index.js';
import { drafts } from './drafts/index.js';
import type { Audience, Row, ServiceName } from './operation.js';
import { sends } from './sends/index.js';
import {
  audit,
  dlpRules,
  imports,
  importSteps,
  keys,
  mailboxes,
  members,
  sendSwitch,
  session,
  signIn,
  teams,
} from './settings/index.js';
import { signatures, signatureSettings } from './signatures/index.js';

/** Every operation of the product, family by family. */
export const families = [
  conversations,
  triage,
  search,
  attachments,
  drafts,
  sends,
  signIn,
  session,
  members,
  teams,
  mailboxes,
  imports,
  importSteps,
  keys,
  sendSwitch,
  signatures,
  signatureSettings,
  dlpRules,
  analytics,
  mailVolumes,
  audit,
] as const;

/** The table: all rows, in the order of declaration. */
export const table: readonly Row[] = families.flatMap((rows) => Object.values<Row>(rows));

const rowsById = new Map(table.map((row) => [row.id, row]));

/** The row of an operation id; undefined for an id that is not in the table. */
export const rowById = (id: string): Row | undefined => rowsById.get(id);

/** A row that has a route. */
export type MountedRow = Row & { readonly audience: Exclude<Audience, 'service'> };

export const isMounted = (row: Row): row is MountedRow => row.audience !== 'service';

/** The rows a service must have handlers for: all but those whose body the gateway streams. */
export const rowsOf = (service: ServiceName): readonly Row[] =>
  table.filter((row) => row.service === service && row.streams.length === 0);

/** Where the rows of an audience are mounted; those for services are not ({@link isMounted}). */
export const mountPoints: Readonly<Record<Audience, string>> = {
  key: '/public',
  member: '/settings/api',
  anyone: '/settings/api',
  service: '',
};
