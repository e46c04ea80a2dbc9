import { analytics } from './analytics/index.js';
import {
  addressBooks,
  contactImportSteps,
  contactMerging,
  contacts,
  contactTransfer,
  keptSenders,
  messageSenders,
  senderContacts,
} from './contacts/index.js';
import { attachments, conversations, search, triage } from './conversations/index.js';
import { drafts } from './drafts/index.js';
import { agents, approvalQueue, filedApprovals } from './approvals/index.js';
import { builtIns } from './built-ins.js';
import {
  availability,
  availableTimes,
  calendarEvents,
  calendarFeeds,
  calendars,
  calendarTransfer,
  eventImportSteps,
  feedSteps,
} from './calendar/index.js';
import { me } from './me/index.js';
import { invocations } from './invoke.js';
import { mcp } from './mcp/index.js';
import type { Audience, Operation } from './operation.js';
import type { ServiceName } from './services.js';
import {
  contactPages,
  learntContacts,
  learntLinks,
  linkPages,
  readModels,
} from './read-models/index.js';
import { sends } from './sends/index.js';
import {
  audit,
  dlpRules,
  domains,
  imports,
  importSteps,
  keys,
  mailboxes,
  members,
  sendSwitch,
  session,
  sessions,
  signIn,
  teams,
  unknownSends,
  workspace,
} from './settings/index.js';
import { signatures, signatureSettings } from './signatures/index.js';
import { tasks } from './tasks/index.js';
import { deliveries, events, feed, webhooks, webhookTests } from './webhooks/index.js';

/** Every operation of the product, family by family. */
export const families = [
  conversations,
  triage,
  search,
  attachments,
  drafts,
  contacts,
  addressBooks,
  contactMerging,
  contactTransfer,
  contactImportSteps,
  senderContacts,
  messageSenders,
  keptSenders,
  contactPages,
  learntContacts,
  linkPages,
  learntLinks,
  readModels,
  sends,
  signIn,
  session,
  sessions,
  members,
  teams,
  mailboxes,
  domains,
  imports,
  importSteps,
  keys,
  sendSwitch,
  signatures,
  signatureSettings,
  dlpRules,
  analytics,
  audit,
  unknownSends,
  approvalQueue,
  agents,
  filedApprovals,
  me,
  invocations,
  mcp,
  webhooks,
  deliveries,
  webhookTests,
  calendars,
  calendarEvents,
  calendarTransfer,
  eventImportSteps,
  calendarFeeds,
  feedSteps,
  availability,
  availableTimes,
  workspace,
  tasks,
  events,
  feed,
  ...Object.values(builtIns),
] as const;

/** The table: all rows, in the order of declaration. */
export const table: readonly Operation[] = families.flatMap((rows) =>
  Object.values<Operation>(rows),
);

const operationsById = new Map(table.map((operation) => [operation.id, operation]));

/** The operation with that id; undefined for an id that is not in the table. */
export const operationById = (id: string): Operation | undefined => operationsById.get(id);

/** An operation that has a route. */
export type MountedOperation = Operation & { readonly audience: Exclude<Audience, 'service'> };

export const isMounted = (operation: Operation): operation is MountedOperation =>
  operation.audience !== 'service';

/** An operation of the public API as members call it, at `/settings/api/v1/…` (`decisions.md` §9). */
const asMembersCallIt = (operation: Operation): MountedOperation => ({
  ...operation,
  audience: 'member',
  errors: 'settings',
  scope: null,
});

/** Every operation that has a route, once for each audience that calls it. */
export const mountedOperations: readonly MountedOperation[] = [
  ...table.filter(isMounted),
  ...table.filter(({ audience, keysOnly }) => audience === 'key' && !keysOnly).map(asMembersCallIt),
];

/** The operations a service must have handlers for: all but those whose body the gateway streams. */
export const operationsOf = (service: ServiceName): readonly Operation[] =>
  table.filter((operation) => operation.service === service && operation.streams.length === 0);

/** Where the operations of an audience are mounted; those for services are not ({@link isMounted}). */
export const mountPoints: Readonly<Record<Audience, string>> = {
  key: '/public',
  member: '/settings/api',
  anyone: '/settings/api',
  service: '',
};
