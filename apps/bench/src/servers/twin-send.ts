import { newId } from '@postroom/contracts';
import type { FastifyInstance } from 'fastify';
import { createTransport, type Transporter } from 'nodemailer';
import type pg from 'pg';
import { authenticate } from './bare.js';

/** As many as the product has. */
const connections = 5;

interface Body {
  readonly mailbox: string;
  readonly to: readonly { readonly email: string; readonly name: string }[];
  readonly subject: string;
  readonly body: string;
}

/** `POST /public/v1/send` with nothing but nodemailer's pool behind it: nothing is kept, or checked. */
export function addSendRoute(app: FastifyInstance, access: pg.Pool, url: string): Transporter {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: connections,
    maxMessages: Infinity,
    allowInternalNetworkInterfaces: true,
  });
  app.post<{ readonly Body: Body }>('/public/v1/send', async (request, reply) => {
    const key = await authenticate(access, request);
    if (!key) return reply.code(401).send();
    const { mailbox, to, subject, body } = request.body;
    const sent = await transport.sendMail({
      from: mailbox,
      to: to.map(({ email, name }) => ({ address: email, name })),
      subject,
      html: body,
    });
    const receipt = { id: newId('msg'), threadId: newId('cnv'), providerMessageId: sent.messageId };
    return { ...receipt, accepted: sent.accepted, receiptSource: 'smtp', dlpStatus: 'ok' };
  });
  return transport;
}
