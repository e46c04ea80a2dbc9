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
  { rows }: Pick<Changing, 'rows'>,
  mailboxId: string,
  message: Indexed,
): Promise<void> {
  const { id, threadId, receivedAt, attachments } = message;
  const hasAttachment = attachments.some(({ inline }) => !inline);
  const document = searchDocument({ ...message, hasAttachment }, { mailboxId, receivedAt });
  await rows(keep, [id, mailboxId, threadId, receivedAt, document]);
}
