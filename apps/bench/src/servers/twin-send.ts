import { newId } from '@postroom/contracts';
import type { FastifyInstance } from 'fastify';
import { createTransport } from 'nodemailer';
import type pg from 'pg';
import { authenticate } from './bare.js';

/** Connections of the pool: as many as the product has. */
const connections = 5;

interface Body {
  readonly mailbox: string;
  readonly to: readonly { readonly email: string; readonly name: string }[];
  readonly subject: string;
  readonly body: string;
}

/**
 * `POST /public/v1/send` with only nodemailer behind it, used as in its manual: a connection for each
 * message, nothing stored or checked. `/pooled/v1/send` is the same with nodemailer's pool.
 * @returns how to close it
 */
export function addSendRoutes(app: FastifyInstance, access: pg.Pool, url: string): () => void {
  const server = { url, allowInternalNetworkInterfaces: true };
  const bare = createTransport(server);
  const pool = { pool: true, maxConnections: connections, maxMessages: Infinity } as const;
  const pooled = createTransport({ ...server, ...pool });
  for (const [prefix, transport] of [
    ['public', bare],
    ['pooled', pooled],
  ] as const) {
    app.post<{ readonly Body: Body }>(`/${prefix}/v1/send`, async (request, reply) => {
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
  return () => pooled.close();
}
