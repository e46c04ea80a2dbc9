import type { BlobStore, ConversationAnswer } from '@postroom/contracts';

/** An answer in the store of large bodies. */
export interface StoredAnswer {
  readonly reference: string;
  /** Bytes. */
  readonly size: number;
}

/** Writes an answer as JSON into the store of large bodies message by message, so that it is nowhere as a whole. */
export async function storeConversation(
  blobs: Pick<BlobStore, 'begin'>,
  tenantId: string,
  { mailbox, conversation: { messages, ...conversation } }: ConversationAnswer,
): Promise<StoredAnswer> {
  const writer = blobs.begin(tenantId);
  let size = 0;
  const append = async (text: string): Promise<void> => {
    const bytes = Buffer.from(text);
    size += bytes.length;
    await writer.append(bytes);
  };
  const head = JSON.stringify({ mailbox, conversation });
  await append(`${head.slice(0, -'}}'.length)},"messages":[`);
  for (const [i, message] of messages.entries())
    await append(`${i > 0 ? ',' : ''}${JSON.stringify(message)}`);
  await append(']}}');
  await writer.end();
  return { reference: writer.reference, size };
}
