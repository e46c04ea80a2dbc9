import type { ServiceName } from './services.js';
import { accountMail } from './account-mail.js';
import { analytics } from './analytics.js';
import { addressBooks } from './contacts/books.js';
import { contactImportSteps, contactTransfer } from './contacts/transfer.js';
import { contactMerging } from './contacts/merging.js';
import { contacts } from './contacts/operations.js';
import { keptSenders, messageSenders, senderContacts } from './contacts/from-message.js';
import { bulk } from './conversations/bulk.js';
import { inbox } from './conversations/inbox.js';
import { moves } from './conversations/moves.js';
import { fileParts } from './conversations/file-parts.js';
import { attachments, conversations } from './conversations/operations.js';
import { messages } from './conversations/originals.js';
import { remoteImages } from './conversations/remote-images.js';
import { search } from './conversations/search.js';
import { triage } from './conversations/triage.js';
import { draftSends } from './draft-sends.js';
import { drafts } from './drafts.js';
import { agents } from './agents.js';
import { approvalQueue } from './approval-queue.js';
import { filedApprovals } from './approvals.js';
import { builtIns } from './built-ins.js';
import { availability, availableTimes } from './calendar/availability.js';
import { calendarEvents } from './calendar/events.js';
import { invitations, invitationSteps } from './calendar/invitations.js';
import {
  calendarFeeds,
  calendarTransfer,
  eventImportSteps,
  feedSteps,
} from './calendar/transfer.js';
import { calendars } from './calendar/calendars.js';
import { keyRefusals, me } from './me.js';
import { invocations } from './invoke.js';
import { bookLists, mailLists, people } from './lists.js';
import { mcp } from './mcp.js';
import type { Audience, Operation } from './operation.js';
import { contactPages, learntContacts, learntLinks, linkPages, readModels } from './read-models.js';
import { presence } from './presence.js';
import { sends } from './sends.js';
import { account } from './settings/account.js';
import { audit } from './settings/audit.js';
import { dlpRules } from './settings/dlp-rules.js';
import { domainOwners, domains } from './settings/domains.js';
import { imports, importSteps } from './settings/imports.js';
import { mailboxSyncs } from './settings/mailbox-syncs.js';
import { connections, keys } from './settings/keys.js';
import { labelSettings } from './settings/labels.js';
import {
  accountTests,
  mailboxAccounts,
  mailboxConsents,
  mailSettings,
} from './settings/mailbox-accounts.js';
import { mailboxes } from './settings/mailboxes.js';
import { memberInvitations } from './settings/member-invitations.js';
import { directoryPersons, mailPersons, persons, schedulingPersons } from './settings/persons.js';
import { members } from './settings/members.js';
import { passwordReset } from './settings/password-reset.js';
import { passkeys } from './settings/passkeys.js';
import { sendSwitch, workspace, workspaceFacts } from './settings/workspace.js';
import { secondFactor, totp } from './settings/second-factor.js';
import { sendPermissions } from './settings/send-permissions.js';
import { session, sessions, signIn } from './settings/sessions.js';
import { oidcSessions, signInSettings } from './settings/sign-in.js';
import { teams } from './settings/teams.js';
import { sandbox, sandboxMail } from './settings/sandbox.js';
import { sandboxes } from './settings/sandboxes.js';
import { unknownSends } from './settings/unknown-sends.js';
import { suppressions, suppressionSettings } from './suppressions.js';
import { uploads, uploadSteps } from './uploads.js';
import { signatures, signatureSettings } from './signatures.js';
import { tasks } from './tasks/operations.js';
import { deliveries } from './webhooks/deliveries.js';
import { eventSubscriptions, shownEvents } from './webhooks/event-subscriptions.js';
import { events, feed } from './webhooks/feed.js';
import { webhooks, webhookTests } from './webhooks/subscriptions.js';

/** Every operation of the product, family by family. */
export const families = [
  conversations,
  moves,
  bulk,
  triage,
  inbox,
  search,
  attachments,
  messages,
  fileParts,
  remoteImages,
  drafts,
  draftSends,
  uploads,
  uploadSteps,
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
  suppressions,
  suppressionSettings,
  sendPermissions,
  signIn,
  passwordReset,
  session,
  sessions,
  totp,
  passkeys,
  secondFactor,
  signInSettings,
  account,
  oidcSessions,
  members,
  memberInvitations,
  teams,
  mailboxes,
  mailboxAccounts,
  accountTests,
  mailSettings,
  mailboxConsents,
  labelSettings,
  domainOwners,
  domains,
  imports,
  mailboxSyncs,
  importSteps,
  keys,
  connections,
  sendSwitch,
  signatures,
  signatureSettings,
  dlpRules,
  analytics,
  audit,
  unknownSends,
  sandbox,
  sandboxMail,
  sandboxes,
  accountMail,
  persons,
  mailPersons,
  directoryPersons,
  schedulingPersons,
  approvalQueue,
  agents,
  presence,
  filedApprovals,
  me,
  keyRefusals,
  mailLists,
  people,
  bookLists,
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
  invitations,
  invitationSteps,
  availability,
  availableTimes,
  workspace,
  workspaceFacts,
  tasks,
  events,
  feed,
  eventSubscriptions,
  shownEvents,
  ...Object.values(builtIns),
] as const;

/** The table: all rows, in the order of declaration. */
export const table: readonly Operation[] = families.flatMap((rows) =>
  Object.values<Operation>(rows),
);

/** The operations of the table by their ids. */
export const operationsById: ReadonlyMap<string, Operation> = new Map(
  table.map((operation) => [operation.id, operation]),
);

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
  table.filter((operation) => operation.service === service && operation.upload === null);

/** Paths under which the operations of an audience are mounted; those for services are not ({@link isMounted}). */
export const mountPoints: Readonly<Record<Audience, string>> = {
  key: '/public',
  member: '/settings/api',
  anyone: '/settings/api',
  service: '',
};

/** Actions that services file in the audit and that are no operation of the table. */
const beside: Partial<Readonly<Record<ServiceName, readonly string[]>>> = {
  access: ['connections.allow', 'connections.begin', 'connections.misused'],
  mail: [
    'dlp.overridden',
    'domains.give',
    'domains.take',
    'mailboxes.restore',
    'retention.purge',
    'sends.outcome_unknown',
  ],
  scheduling: ['invitations.apply'],
  webhooks: ['webhooks.disable'],
};

const actions = new Set([
  ...table.flatMap(({ service, audit }) => (audit === null ? [] : [`${service} ${audit}`])),
  ...Object.entries(beside).flatMap(([service, words]) =>
    words.map((word) => `${service} ${word}`),
  ),
]);

/** True if the service files records of this action: an operation of its own, or an action in `beside`. */
export const filesAudit = (service: ServiceName, action: string): boolean =>
  actions.has(`${service} ${action}`);
