import {
  Problem,
  sandboxMail,
  systemActor,
  type ReceivedMail,
  type ReceiveMail,
  type SentMail,
} from '@postroom/contracts';
import { MessageParser, type ReadMessage } from '@postroom/mime';
import {
  handlers,
  UnitOfWork,
  workspaceNow,
  type Changing,
  type Reading,
} from '@postroom/operations';
import { instant, PageTokens, statement } from '@postroom/persistence';
import { MailConfig } from './config.js';
import { SmtpRefusal, takeArrival, traceHeader } from './inbound/index.js';
import { receiveMessage, type ReceivingMailbox } from './messages/index.js';
import { MailboxEntity } from './mailboxes/index.js';
import { MessageComposer } from './outgoing/index.js';
import { answeredThread, composedFile } from './sends/index.js';

/**
 * Takes described mail in by the way of mail that arrives: written out, parsed, threaded, stored in one commit. Lists
 * what was sent.
 */
export const SandboxMailHandlers = handlers(
  sandboxMail,
  [MailConfig, MessageComposer, MessageParser, UnitOfWork, PageTokens],
  (config, composer, parser, work, tokens) => ({
    list: async ({ rows, tenantId }, { limit, pageToken }) => {
      const query = ['sandbox.sent', tenantId];
      const [before = 'infinity', id = ''] = tokens.read(query, pageToken);
      const found = await rows(findSent, [before, id, limit + 1]);
      const page = tokens.pageOf(query, found, limit, (last) => [last.sentAt, last.id]);
      return { items: page.rows, nextPageToken: page.nextPageToken };
    },

    receive: async (context, mail) => {
      const { tenantId } = context;
      const mailbox = await receivingMailbox(context, mail.mailbox);
      const at = await workspaceNow(context);
      const raw = await written(composer, context, mailbox, mail, at);
      const parsed = await parser.parse(raw, tenantId, mail.from);
      const origin = { tenantId, actor: systemActor, source: 'inbound' } as const;
      const trace = traceOf(context, mail, at);
      return work.change(origin, null, async (changing) => {
        const before = await earlier(changing, mailbox, parsed);
        if (before) return { value: before };
        await takeArrival(changing, raw.length, config).catch(refuseFull);
        const inbound = { mailbox, parsed, raw, isAligned: true, trace };
        const { id, threadId } = await receiveMessage(changing, inbound);
        return { value: { id, threadId } };
      });
    },
  }),
);

const findSent = statement<SentMail>(
  'sandbox.find_sent',
  `SELECT id, conversation_id AS "threadId", mailbox, recipients AS to, cc, bcc, subject, preview,
     has_attachments AS "hasAttachments", ${instant('received_at')} AS "sentAt"
   FROM sandbox_outbox($1, $2, $3, $4)`,
);

const findReceived = statement<ReceivedMail>(
  'sandbox.find_received',
  `SELECT id, conversation_id AS "threadId" FROM messages
   WHERE tenant_id = $1 AND mailbox_id = $2 AND message_id = $3`,
);

const lockReceipt = statement<object>(
  'sandbox.lock_receipt',
  `SELECT take_lock('sandbox.receive ' || $2), $1::text`,
);

/** The message that an earlier delivery of the same request has stored. */
async function earlier(
  { rows }: Changing,
  { mailboxId }: ReceivingMailbox,
  { messageId }: ReadMessage,
): Promise<ReceivedMail | undefined> {
  await rows(lockReceipt, [messageId]);
  return (await rows(findReceived, [mailboxId, messageId]))[0];
}

/** @throws Problem MAILBOX_NOT_FOUND */
async function receivingMailbox(
  { tenantId, entities }: Reading,
  named: string,
): Promise<ReceivingMailbox> {
  const found = await entities((manager) => manager.findOneBy(MailboxEntity, { address: named }));
  if (!found) throw new Problem('MAILBOX_NOT_FOUND');
  const { id: mailboxId, address, automation } = found;
  return { tenantId, mailboxId, address, automation };
}

/** @throws Problem MESSAGE_NOT_FOUND for an answer to a message that the mailbox does not have */
async function written(
  composer: MessageComposer,
  context: Reading,
  { mailboxId, address, tenantId }: ReceivingMailbox,
  { from, fromName, cc, subject, body, inReplyTo, attachments }: ReceiveMail,
  at: Date,
): Promise<Buffer> {
  const answered = { threadId: null, ...(inReplyTo !== undefined && { inReplyTo }) };
  const thread = await answeredThread(context, mailboxId, answered);
  const composition = {
    from: { email: from, name: fromName ?? null },
    to: [{ email: address, name: null }],
    ...{ cc, subject, body, signature: null, priority: null, dkim: null },
    ...{ inReplyTo: thread.inReplyTo, references: thread.references },
    // A request that the bus delivers again is the same mail.
    messageId: `${context.messageId}@sandbox.invalid`,
    dateMs: at.getTime(),
    files: attachments.map((file) => composedFile(tenantId, file)),
  };
  const { raw } = await composer.compose(composition, { tenantId, message: context.messageId });
  return Buffer.from(raw);
}

const traceOf = ({ requestId }: Reading, { from, mailbox }: ReceiveMail, at: Date): string =>
  traceHeader({
    ...{ from, recipient: mailbox, at, sessionId: requestId, protocol: 'ESMTP' },
    ...{ helo: 'sandbox.invalid', clientAddress: '127.0.0.1', serverName: 'sandbox.invalid' },
  });

function refuseFull(error: unknown): never {
  throw error instanceof SmtpRefusal ? new Problem('QUOTA_EXCEEDED', { cause: error }) : error;
}
