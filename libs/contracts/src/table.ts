import { attachments, conversations } from './conversations/index.js';
import type { Audience, Row, ServiceName } from './operation.js';
import {
  imports,
  importSteps,
  keys,
  mailboxes,
  members,
  sendSwitch,
  session,
  signIn,
} from './settings/index.js';

/** Every operation of the product, family by family. */
export const families = [
  conversations,
  attachments,
  signIn,
  session,
  members,
  mailboxes,
  imports,
  importSteps,
  keys,
  sendSwitch,
] as const;

/** The table: all rows, in the order of declaration. */
export const table: readonly Row[] = families.flatMap((rows) => Object.values<Row>(rows));

const rowsById = new Map(table.map((row) => [row.id, row]));

/** The row of an operation id; undefined for an id that is not in the table. */
export const rowById = (id: string): Row | undefined => rowsById.get(id);

/** The rows a service must have handlers for: all but those whose body the gateway streams. */
export const rowsOf = (service: ServiceName): readonly Row[] =>
  table.filter((row) => row.service === service && row.streams.length === 0);

/** Where the rows of an audience are mounted. */
export const mountPoints: Readonly<Record<Audience, string>> = {
  key: '/public',
  member: '/settings/api',
  anyone: '/settings/api',
  // Mounted nowhere.
  gateway: '/internal',
};
