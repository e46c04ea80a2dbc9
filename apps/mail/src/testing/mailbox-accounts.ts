import { randomUUID } from 'node:crypto';
import { mailboxes, type MailboxAnswer } from '@postroom/contracts';
import { aKey, anAdmin } from '@postroom/service-testing';
import type { MailboxOf, MailService } from './mail-service.js';

const newName = (): string => randomUUID();

/** A message as a correspondent writes it. */
export const rawMessage = ({
  id = newName(),
  subject = 'A question',
  text = 'Where is it?',
  from = 'Camille <camille@correspondent.example>',
  references = '',
  at = new Date(),
} = {}): string =>
  [
    `From: ${from}`,
    'To: support@acme.test',
    `Subject: ${subject}`,
    `Message-ID: <${id}@correspondent.example>`,
    ...(references ? [`References: <${references}@correspondent.example>`] : []),
    `Date: ${at.toUTCString()}`,
    '',
    text,
    '',
  ].join('\r\n');

/** A mailbox of a new workspace, connected to an account. */
export async function connectedMailbox(
  service: MailService,
  port: number,
  { user = 'support', password = 'secret' } = {},
): Promise<MailboxOf> {
  const { tenantId } = aKey();
  const mailbox = await service.mailbox({ tenantId });
  const imap = { host: '127.0.0.1', port, secure: false, user, password };
  const input = { id: mailbox.id, imap };
  const caller = anAdmin({ tenantId });
  const { body } = await service.call<MailboxAnswer>(mailboxes.update, input, { caller });
  return { ...mailbox, ...body.mailbox };
}

/** The messages of a mailbox, oldest first. */
export const storedMessages = (service: MailService, { tenantId }: MailboxOf) =>
  service.rows<{
    subject: string;
    direction: string;
    placement: string;
    at: Date;
    parsed: boolean;
  }>(
    `SELECT m.subject, m.direction, c.placement, m.received_at AS at, m.parsed FROM messages m
     JOIN conversations c ON c.tenant_id = m.tenant_id AND c.id = m.conversation_id
     WHERE m.tenant_id = $1 ORDER BY m.received_at, m.id`,
    [tenantId],
  );
