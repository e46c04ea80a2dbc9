import type { Operation } from '../operation.js';

/** One sentence a family, as its tag. */
const families: Readonly<Record<string, string>> = {
  conversations: 'Threads of a shared mailbox: reading them, and working through them.',
  search: 'Full-text search over a mailbox.',
  attachments: 'Files of messages.',
  messages: 'Messages as they came or left.',
  drafts: 'Messages that are being written; none is sent by these routes.',
  contacts: 'People and organizations in address books.',
  bookLists: 'Address books that contacts are kept in.',
  sends: 'Sending mail from a shared mailbox, at most once a key.',
  signatures: 'Signatures of the workspace.',
  analytics: 'Volumes of a workspace, day by day.',
  filedApprovals: 'Writes of agents that wait for a person.',
  me: 'What the key of a request is and may do.',
  mailLists: 'Mailboxes and labels, which requests name.',
  people: 'Members and teams, to whom work is given.',
  mcp: 'Tools for AI agents over the Model Context Protocol.',
  webhookTests: 'Test events for webhooks.',
  calendars: 'Calendars, shared and personal.',
  calendarEvents: 'Events of calendars, and their occurrences.',
  availability: 'When a member is busy and free.',
  tasks: 'Tasks, which may repeat and belong to a conversation.',
  events: 'The feed of what happened in the workspace.',
  session: 'Signing in and out.',
  totp: 'Codes of an application as a second factor.',
  secondFactor: 'The second step of signing in.',
  signInSettings: 'How members sign in.',
  draftSends: 'Sending drafts, now or at a time.',
  bulk: 'The same done to several conversations.',
  labels: 'Labels of a mailbox: renaming, merging and taking them off.',
  passwordReset: 'Replacing a forgotten password.',
  account: 'What members keep of themselves.',
  memberInvitations: 'Links that invite members.',
  sessions: 'The places where a member is signed in.',
  members: 'Members of the workspace, and their invitations.',
  teams: 'Teams of members.',
  mailboxes: 'Shared mailboxes, and how their mail comes and leaves.',
  mailboxAccounts: 'Accounts that mailboxes are read from and send through.',
  accountTests: 'Trying an account, step by step.',
  mailSettings: 'Mail servers of an address, found before a password is typed.',
  domains: 'Domains that the workspace has proved to be its own.',
  imports: 'Mail of an mbox file or a message taken into a mailbox.',
  keys: 'API keys of programs and agents.',
  connections: 'Assistants that members have connected by OAuth.',
  keyRefusals: 'Writes of keys that were refused.',
  sendSwitch: 'The switch that stops every send of every key.',
  signatureSettings: 'Signatures as they are written and changed.',
  dlpRules: 'Rules of data-loss prevention.',
  audit: 'The audit chain.',
  unknownSends: 'Sends of which nobody knows whether they left.',
  sandbox: 'The clock of a sandbox.',
  sandboxMail: 'Mail that a sandbox receives, and what it has sent.',
  sandboxes: 'Sandboxes that a workspace has made.',
  approvals: 'Deciding on writes of agents.',
  agents: 'What agents did, day by day.',
  webhooks: 'Subscriptions to events.',
  deliveries: 'Attempts to deliver events.',
  addressBooks: 'Address books, and who may use them.',
  contactMerging: 'Contacts that are the same person.',
  contactTransfer: 'Contacts in and out of files.',
  senderContacts: 'Contacts made of those who wrote.',
  calendarTransfer: 'Calendars in and out of files.',
  calendarFeeds: 'Secret addresses that calendar programs subscribe to.',
  invitations: 'Invitations by mail that a member confirms.',
  readModels: 'Making anew what is computed from events.',
  workspace: 'The workspace itself.',
  remoteImages: 'Images that a message names, fetched by the server.',
  uploads: 'Files of drafts, uploaded apart.',
  suppressions: 'Addresses that refused messages or whose readers complained.',
  suppressionSettings: 'Adding and removing suppressed addresses.',
  passkeys: 'Passkeys of a member.',
  mailboxSyncs: 'How mailboxes stand that are read from an account elsewhere.',
  persons: 'What the workspace keeps of a correspondent.',
  presence: 'Who looks at what.',
};

/** The tag of a family. */
export const tagOf = (name: string) => ({ name, description: families[name] ?? `${name}.` });

/** The tag of the webhooks of a group: generators make a file of each tag, and families have names of their own. */
export const eventTag = (group: string): string => `${group} webhooks`;

/** Facts of an operation that a client needs beside its fields (`decisions.md` §1). */
export const extensionsOf = (operation: Operation) => ({
  'x-scope': operation.scope === 'any' ? null : operation.scope,
  'x-effect': operation.effect,
  'x-approval': operation.approval,
  'x-idempotency': operation.idempotency,
  'x-member': operation.member,
  'x-mailbox': operation.mailbox,
  'x-limit': limitOf(operation),
  ...(operation.errors === 'settings' && { 'x-admin': operation.admin }),
  ...(operation.addition && { 'x-addition': true }),
});

function limitOf({ errors, effect }: Operation): 'member' | 'send' | 'default' {
  if (errors === 'settings') return 'member';
  return effect === 'send' ? 'send' : 'default';
}

/** Every operation has a description: its own, or what its summary and its kind say. */
export function descriptionOf(operation: Operation): string {
  if (operation.description !== '') return operation.description;
  const { summary, effect, approval, idempotency } = operation;
  const repeated = idempotency === 'none' ? '' : 'It may be repeated under its Idempotency-Key.';
  const kind = effect === 'read' ? 'It changes nothing.' : repeated;
  const waits =
    approval === 'eligible'
      ? ' A write of an agent that needs approval is filed, and answered 202.'
      : '';
  return `${summary}. ${kind}${waits}`.trimEnd();
}
