import { newId } from '@postroom/contracts';
import type { FastifyInstance } from 'fastify';
import { createTransport } from 'nodemailer';
import type pg from 'pg';
import { authenticate } from './bare.js';

interface Body {
  readonly mailbox: string;
  readonly to: readonly { readonly email: string; readonly name: string }[];
  readonly subject: string;
  readonly body: string;
}

/**
 * `POST /public/v1/send` with only nodemailer behind it, used as in its manual: a connection for each
 * message, nothing stored or checked.
 */
export function addSendRoute(app: FastifyInstance, access: pg.Pool, url: string): void {
  const transport = createTransport({ url, allowInternalNetworkInterfaces: true });
  app.post<{ readonly Body: Body }>('/public/v1/send', async (request, reply) => {
    const key = await authenticate(access, request);
    if (!key) return reply.code(401).send();
    const { mailbox, to, subject, body } = request.body;
    const { messageId, accepted } = await transport.sendMail({
      from: mailbox,
      to: to.map(({ email, name }) => ({ address: email, name })),
      subject,
      html: body,
    });
    const receipt = { id: newId('msg'), threadId: newId('cnv'), providerMessageId: messageId };
    return { ...receipt, accepted, receiptSource: 'smtp', dlpStatus: 'ok' };
  });
}
