import { hostname } from 'node:os';
import { randomBytes } from 'node:crypto';
import { accountMail, Problem, type AccountMail } from '@postroom/contracts';
import { handlers, type Reading } from '@postroom/operations';
import { MailConfig } from './config.js';
import { MessageComposer, NoConnection, Transport, type SendingMailbox } from './outgoing/index.js';

/** Mail about accounts leaves as that of a mailbox without a server of its own. */
const senderOf = ({ accountMailFrom, smtpHostname }: MailConfig): SendingMailbox => ({
  id: '',
  address: accountMailFrom ?? `postroom@${smtpHostname ?? hostname()}`,
  name: 'Postroom',
  outgoing: null,
  dkim: null,
});

/**
 * Hands mail about accounts to the deployment's server. The gateway asks again for what no server took, so a
 * message may arrive twice.
 */
export const AccountMailHandlers = handlers(
  accountMail,
  [MailConfig, MessageComposer, Transport],
  (config, composer, transport) => ({
    send: async (context, mail) => {
      const sender = senderOf(config);
      const { address: from } = sender;
      const raw = await composed(composer, context, mail, sender);
      const { deadlineMs, tenantId: workspace } = context;
      const handOverMs = Math.max(0, deadlineMs - Date.now()) / 2;
      const turn = { workspace, untilMs: Date.now() + handOverMs };
      const signal = AbortSignal.timeout(handOverMs * 2);
      const outcome = await transport
        .handOver(sender, turn, (connection) =>
          connection.transmit({ from, to: [mail.to] }, raw, { handOverMs, signal }),
        )
        .catch(refuse);
      if (outcome.kind !== 'accepted') throw refusal(outcome);
      return { ok: true };
    },
  }),
);

async function composed(
  composer: MessageComposer,
  { tenantId, messageId: message }: Reading,
  { to, subject, text }: AccountMail,
  { address, name }: SendingMailbox,
): Promise<Buffer> {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const { raw } = await composer.compose(
    {
      from: { email: address, name },
      to: [{ email: to, name: null }],
      cc: [],
      subject,
      body: text,
      signature: null,
      messageId: `${randomBytes(16).toString('hex')}@${domain}`,
      inReplyTo: null,
      references: [],
      priority: null,
      dateMs: Date.now(),
      files: [],
      dkim: null,
    },
    { tenantId, message },
  );
  return Buffer.from(raw);
}

const refuse = (cause: unknown): never => {
  throw cause instanceof NoConnection ? refusal(cause) : cause;
};

const refusal = (cause: unknown): Problem => new Problem('OUTGOING_UNAVAILABLE', { cause });
