import type { Operation } from '../operation.js';

/** The place of an operation in a client: `conversations.list` is `postroom.conversations.list(…)`. */
export interface ClientCall {
  readonly family: string;
  readonly name: string;
}

/** The operations that read better under another name than that of the table. */
const renamed: Readonly<Record<string, string>> = {
  'bookLists.addressBooks': 'addressBooks.list',
  'filedApprovals.get': 'approvals.get',
  'mailLists.labels': 'labels.list',
  'mailLists.mailboxes': 'mailboxes.list',
  'people.members': 'members.list',
  'people.teams': 'teams.list',
  'search.conversations': 'conversations.search',
  'sends.create': 'messages.send',
  'sends.reply': 'conversations.reply',
  'webhookTests.emit': 'webhooks.test',
};

/** The call of `@postroom/sdk` and `@postroom/cli` that makes an operation; none for a protocol of its own. */
export function clientCall({ id, audience }: Operation): ClientCall | undefined {
  if (audience !== 'key' || id.startsWith('mcp.')) return undefined;
  const [family = '', name = ''] = (renamed[id] ?? id).split('.');
  return { family, name };
}
