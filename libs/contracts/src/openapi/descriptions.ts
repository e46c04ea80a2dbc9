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
};

/** The tag of a family. */
export const tagOf = (name: string) => ({ name, description: families[name] ?? `${name}.` });

/** The tag of the events of a group: generators make a file of each tag, and families have names of their own. */
export const eventTag = (group: string): string => `${group} events`;

/** Facts of an operation that a client needs beside its fields (`decisions.md` §1). */
export const extensionsOf = (operation: Operation) => ({
  'x-scope': operation.scope === 'any' ? null : operation.scope,
  'x-effect': operation.effect,
  'x-approval': operation.approval,
  'x-idempotency': operation.idempotency,
  'x-member': operation.member,
  'x-mailbox': operation.mailbox,
  'x-limit': operation.effect === 'send' ? 'send' : 'default',
  ...(operation.addition && { 'x-addition': true }),
});

/** Every operation has a description: its own, or what its summary and its kind say. */
export function descriptionOf(operation: Operation): string {
  if (operation.description !== '') return operation.description;
  const { summary, effect, approval } = operation;
  const kind =
    effect === 'read' ? 'It changes nothing.' : 'It may be repeated under its Idempotency-Key.';
  const waits =
    approval === 'eligible'
      ? ' A write of an agent that needs approval is filed, and answered 202.'
      : '';
  return `${summary}. ${kind}${waits}`;
}
