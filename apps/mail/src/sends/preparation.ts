import { createPrivateKey, hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { actorOf } from '@postroom/access';
import { Problem, type AttachedFile, type SendReceipt } from '@postroom/contracts';
import type { ComposedFile, Composition, DkimKey, ReadMessage } from '@postroom/mime';
import { requireRoomFor, workspaceNow, type Sending } from '@postroom/operations';
import { MailConfig } from '../config.js';
import { redeemWarning, type JudgedMessage } from '../dlp/index.js';
import { requireOurDomain } from '../domains/index.js';
import {
  MessageComposer,
  Transport,
  type ComposedMessage,
  type SendingMailbox,
} from '../outgoing/index.js';
import { signatureFor } from '../signatures/index.js';
import { answeredThread, type AnsweredThread } from './answered-thread.js';
import { Confirmation } from './confirmation.js';
import { sizeOf, type Outgoing, type SendRequest } from './send-request.js';
import { refusedProblem } from './refusals.js';
import type { Reservation } from './verdict.js';

/** A send whose Idempotency-Key this process has reserved. */
export interface ReservedSend {
  readonly request: SendRequest;
  readonly mailbox: SendingMailbox;
  readonly reservation: Reservation;
  readonly fingerprint: string;
  /** The id that the message has once it is stored. */
  readonly message: string;
}

/** A composed message, with everything that its receipt needs. */
export interface PreparedMessage {
  readonly outgoing: Outgoing;
  readonly raw: Buffer;
  /** True if its bytes are staged, so that they must be deleted if it does not leave. */
  readonly isStaged: boolean;
  /** The message as its bytes read. */
  readonly parsed: ReadMessage;
}

/** Composes messages and judges them by the DLP rules, before the first SMTP command. */
@Injectable()
export class Preparation {
  constructor(
    private readonly composer: MessageComposer,
    private readonly transport: Transport,
    private readonly confirmation: Confirmation,
    private readonly config: MailConfig,
  ) {}

  /** @throws Problem of the domain, or of data-loss prevention: the key is to be released */
  async prepare(context: Sending, send: ReservedSend): Promise<PreparedMessage> {
    const { request, mailbox } = send;
    const { tenantId, caller, operation, requestId } = context;
    const { signatureId } = request;
    const [thread, signature] = await Promise.all([
      answeredThread(context, mailbox.id, request),
      signatureId === undefined ? null : signatureFor(context, mailbox.address, signatureId),
      mailbox.outgoing ? null : requireOurDomain(context, mailbox.address),
      requireRoomFor(context, 'storedBytes', this.config.quotaStoredBytes, sizeOf(request)),
    ]);
    const files = request.attachments.map((file) => composedFile(tenantId, file));
    const now = await workspaceNow(context);
    const dateMs = Math.floor(now.getTime() / 1000) * 1000;
    const names = files.map(({ filename }) => filename);
    const composed = await this.compose(tenantId, send, { ...thread, signature }, files, dateMs);
    const dlpStatus = await this.judged(context, send, judgedMessage(request, composed, names));
    const { to, cc, bcc } = request;
    const outgoing = {
      message: send.message,
      conversationId: thread.conversationId,
      to,
      cc,
      bcc,
      sentAt: new Date(dateMs).toISOString(),
      writtenAt: now.toISOString(),
      dlpStatus,
      actor: actorOf(caller),
      source: caller.source,
      operation,
      requestId,
      declaredTypes: files.map(({ declaredType }) => declaredType),
      draft: request.draft,
    };
    const { parsed, isStaged } = composed;
    const { buffer, byteOffset, byteLength } = composed.raw;
    return { outgoing, raw: Buffer.from(buffer, byteOffset, byteLength), isStaged, parsed };
  }

  private async compose(
    tenantId: string,
    { request, mailbox, reservation, message }: ReservedSend,
    { inReplyTo, references, signature }: AnsweredThread & Pick<Composition, 'signature'>,
    files: readonly ComposedFile[],
    dateMs: number,
  ): Promise<ComposedMessage> {
    const { to, cc, subject, body, priority = null } = request;
    const { address: email, name } = mailbox;
    let dkim: DkimKey | null = null;
    try {
      dkim = this.transport.dkimOf(mailbox);
      const composition = {
        from: { email, name: name === email ? null : name },
        to,
        cc,
        subject,
        body,
        signature,
        priority,
        dateMs,
        files,
        inReplyTo,
        references,
        messageId: reservation.messageId,
        dkim,
      };
      return await this.composer.compose(composition, { tenantId, message });
    } catch (cause) {
      if (cause instanceof Problem) throw cause;
      if (dkim !== null && !signs(dkim)) {
        throw refusedProblem({ kind: 'mailbox', reason: 'its DKIM key signs nothing' }, request);
      }
      // A lost thread, or bytes that could not be staged: a fault for the operator.
      throw new Problem('OUTGOING_UNAVAILABLE', { cause });
    }
  }

  /** A warning is overridden by its token, once. */
  private judged(
    context: Sending,
    { request, mailbox, fingerprint, reservation }: ReservedSend,
    message: JudgedMessage,
  ): Promise<SendReceipt['dlpStatus']> {
    const { dlpWarningToken: token, dlpWarningHash } = request;
    const given = token === undefined ? dlpWarningHash : hash('sha256', token);
    return this.confirmation.require(
      context,
      message,
      { mailboxId: mailbox.id, fingerprint },
      async (changing, warned) =>
        given !== undefined &&
        redeemWarning(changing, given, context.requestId, {
          ...warned,
          reservation: reservation.token,
        }),
    );
  }
}

/** True if a private key is of the kind that RFC 6376 signs with. */
function signs({ privateKey }: DkimKey): boolean {
  try {
    return createPrivateKey(privateKey).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/** A given file, to be composed. */
export const composedFile = (
  tenantId: string,
  { filename, mimeType: declaredType, contentBase64: content }: AttachedFile,
): ComposedFile => {
  if (typeof content === 'string') {
    return { filename, declaredType, content: Buffer.from(content, 'base64') };
  }
  const { reference, size } = content;
  return { filename, declaredType, content: { tenantId, reference, size } };
};

const judgedMessage = (
  { mailbox, subject, to, cc, bcc }: SendRequest,
  { html, text, fileTypes }: ComposedMessage,
  names: readonly (string | null)[],
): JudgedMessage => ({
  mailbox,
  subject,
  html,
  text,
  recipients: [...to, ...cc, ...bcc],
  attachments: fileTypes.map((mimeType, i) => ({ filename: names[i] ?? '', mimeType })),
});
