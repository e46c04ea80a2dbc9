import type { Message } from '@postroom/contracts';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { searchDocument } from './search-document.js';

const keep = statement<object>(
  'search.keep_document',
  `INSERT INTO search_documents (tenant_id, message, mailbox_id, conversation_id, at, document)
   VALUES ($1, $2, $3, $4, $5, $6::tsvector)`,
);

/** What of a message its search document is made of. */
export type Indexed = Pick<
  Message,
  'id' | 'threadId' | 'receivedAt' | 'subject' | 'from' | 'to' | 'cc' | 'text'
> & { readonly attachments: readonly { readonly inline: boolean }[] };

/** Makes a message that is being stored searchable, in its transaction. */
export async function storeSearchDocument(
  changing: Pick<Changing, 'rows'>,
  mailboxId: string,
  message: Indexed,
): Promise<void> {
  await keepSearchDocument(changing, mailboxId, message, await documentOf(mailboxId, message));
}

/** The search document of a message, made before the statements of its transaction are sent at once. */
export function documentOf(mailboxId: string, message: Indexed): Promise<string> {
  const hasAttachment = message.attachments.some(({ inline }) => !inline);
  const { receivedAt } = message;
  return searchDocument({ ...message, hasAttachment }, { mailboxId, receivedAt });
}

/** Keeps what {@link documentOf} has made, with a statement that is sent at once. */
export async function keepSearchDocument(
  { rows }: Pick<Changing, 'rows'>,
  mailboxId: string,
  { id, threadId, receivedAt }: Indexed,
  document: string,
): Promise<void> {
  await rows(keep, [id, mailboxId, threadId, receivedAt, document]);
}
