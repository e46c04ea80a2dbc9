import { newId } from '@postroom/contracts';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { authenticate } from './bare.js';

const setTenant = `SELECT set_config('postroom.tenant', $1, true)`;

/** The product's statement, without the conversation that its event contains. */
const comment = `
  WITH commented AS (
    UPDATE conversations c SET comment_count = c.comment_count + 1, version = c.version + 1,
      event_sequence = c.event_sequence + 1, updated_at = greatest(c.updated_at, $7::timestamptz)
    FROM mailboxes m
    WHERE m.tenant_id = $1 AND m.address = $2
      AND c.tenant_id = $1 AND c.id = $3 AND c.mailbox_id = m.id
    RETURNING c.id
  )
  INSERT INTO comments (tenant_id, conversation_id, id, author, text, created_at)
  SELECT $1, c.id, $4, $5::jsonb, $6, $7::timestamptz FROM commented c
  RETURNING conversation_id`;

const text = { type: 'string' } as const;

const answer = {
  type: 'object',
  properties: {
    ok: { type: 'boolean' },
    id: text,
    result: {
      type: 'object',
      properties: {
        id: text,
        author: {
          type: 'object',
          properties: { type: text, id: text, name: text, email: { ...text, nullable: true } },
        },
        text,
        createdAt: text,
      },
    },
  },
} as const;

interface Route {
  readonly Params: { readonly id: string };
  readonly Body: { readonly mailbox: string; readonly text: string };
}

/**
 * `POST /public/v1/conversations/:id/comment` with no Idempotency-Key, event, audit record or
 * recorded reply: three round trips, with BEGIN pipelined with the tenant. The product pipelines its
 * first statement too.
 */
export function addCommentRoute(app: FastifyInstance, access: pg.Pool, mail: pg.Pool): void {
  app.post<Route>(
    '/public/v1/conversations/:id/comment',
    { schema: { response: { 200: answer } } },
    async (request, reply) => {
      const key = await authenticate(access, request);
      if (!key) return reply.code(401).send();
      const { id } = request.params;
      const { mailbox, text: said } = request.body;
      const author = { type: 'key', id: key.id, name: key.name, email: key.member_email };
      const result = { id: newId('cmt'), author, text: said, createdAt: new Date().toISOString() };
      const values = [mailbox, id, result.id, JSON.stringify(author), said, result.createdAt];
      const written = await write(mail, key.tenant_id, values);
      return written ? { ok: true, id, result } : reply.code(404).send();
    },
  );
}

async function write(mail: pg.Pool, tenantId: string, values: unknown[]): Promise<boolean> {
  const client = await mail.connect();
  try {
    const tenant = { name: 'set_tenant', text: setTenant, values: [tenantId] };
    await Promise.all([client.query('BEGIN'), client.query(tenant)]);
    const statement = { name: 'comment', text: comment, values: [tenantId, ...values] };
    const { rowCount } = await client.query(statement);
    await client.query('COMMIT');
    return rowCount === 1;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
