import { Inject, Injectable } from '@nestjs/common';
import {
  AttachedFile,
  decode,
  type Draft,
  Problem,
  sendFaults,
  SendMessage,
  StoredContent,
} from '@postroom/contracts';
import { blobsToken, type Reading } from '@postroom/operations';
import type { BlobStore } from '@postroom/persistence/blobs/blob-store';
import { bytesOfDraftFile } from '../attachments/index.js';
import type { SendRequest } from '../sends/index.js';

/** The Idempotency-Key of a draft's send: no request can have it, since it is not ASCII. */
export const keyOfDraft = (id: string): string => `→${id}`;

/**
 * Refuses a draft that no send route would take as a message.
 * @throws Problem INVALID_REQUEST
 */
export function requireSendable({ mailbox, to, cc, bcc, subject, body }: Draft): void {
  const message = { mailbox, to, cc, bcc, subject, body };
  const { input, violations } = decode(SendMessage, { body: message });
  const faults = violations ?? sendFaults(input);
  if (faults.length > 0) throw new Problem('INVALID_REQUEST', { violations: faults });
}

/**
 * The send that a draft is; its files are named alone.
 * @param warning SHA-256 of the token that confirms a warning
 */
export function requestOf(draft: Draft, warning: string | null): SendRequest {
  const { id, mailbox, threadId, inReplyTo, signatureId, subject, body } = draft;
  const { to, cc, bcc } = draft as Pick<SendRequest, 'to' | 'cc' | 'bcc'>;
  const attachments = draft.attachments.map(
    (file) => new AttachedFile('', file.filename, file.declaredMimeType, file.id),
  );
  return {
    ...{ draft: id, mailbox, threadId, to, cc, bcc, subject, body, attachments },
    ...(inReplyTo !== null && { inReplyTo }),
    ...(signatureId !== null && { signatureId }),
    ...(warning !== null && { dlpWarningHash: warning }),
  };
}

/** Makes the messages that drafts are; their files wait in the blob store, a piece in memory at a time. */
@Injectable()
export class DraftMessages {
  constructor(@Inject(blobsToken) private readonly blobs: BlobStore) {}

  /** @param warning as for `requestOf` */
  async messageOf(reading: Reading, draft: Draft, warning: string | null): Promise<SendRequest> {
    const { mailbox } = draft;
    const attachments: AttachedFile[] = [];
    for (const file of draft.attachments) {
      const content = await this.stored(reading, mailbox, file);
      attachments.push(new AttachedFile(content, file.filename, file.declaredMimeType, file.id));
    }
    return { ...requestOf(draft, warning), attachments };
  }

  private async stored(
    reading: Reading,
    mailbox: string,
    { id, size }: Draft['attachments'][number],
  ): Promise<StoredContent> {
    const writer = this.blobs.createWriter(reading.tenantId);
    for await (const piece of bytesOfDraftFile(reading, { id, mailbox, size }))
      await writer.append(piece);
    await writer.finish();
    // Its id stands for its bytes.
    return new StoredContent(writer.reference, size, '');
  }
}
