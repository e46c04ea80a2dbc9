import type { ConversationItem } from '@postroom/contracts';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { authenticate, instant } from './bare.js';

/** The product's query, of a key that may not read contacts. */
const list = `
  SELECT c.id, $2::text AS mailbox, c.subject, c.preview, c.status, c.placement, c.assignee,
    c.team_id AS "teamId", c.labels, c.unread, c.message_count AS "messageCount",
    c.comment_count AS "commentCount", c.draft_count AS "draftCount",
    c.has_attachments AS "hasAttachments", c.participants, c.sender AS "from",
    c.last_message_id AS "lastMessageId", ${instant('c.last_message_at')} AS "lastMessageAt",
    ${instant('c.waiting_since')} AS "waitingSince", NULL::text AS "snoozedUntil",
    NULL::text AS contact,
    ${instant('c.created_at')} AS "createdAt", ${instant('c.updated_at')} AS "updatedAt", c.version
  FROM list_conversations($1, $2, $3) c`;

const text = { type: 'string' } as const;
const count = { type: 'integer' } as const;
const flag = { type: 'boolean' } as const;
const maybe = { type: 'string', nullable: true } as const;
const person = { type: 'object', properties: { email: text, name: maybe } } as const;

const page = {
  type: 'object',
  properties: {
    mailbox: text,
    conversations: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: text,
          mailbox: text,
          subject: text,
          preview: text,
          status: text,
          placement: text,
          assignee: maybe,
          teamId: maybe,
          labels: { type: 'array', items: text },
          unread: flag,
          messageCount: count,
          commentCount: count,
          draftCount: count,
          hasAttachments: flag,
          participants: { type: 'array', items: person },
          from: { ...person, nullable: true },
          lastMessageId: maybe,
          lastMessageAt: text,
          waitingSince: maybe,
          snoozedUntil: maybe,
          contact: maybe,
          createdAt: text,
          updatedAt: text,
          version: count,
        },
      },
    },
    nextPageToken: maybe,
  },
} as const;

/** `GET /public/v1/conversations`: its first page. */
export function addListRoute(app: FastifyInstance, access: pg.Pool, mail: pg.Pool): void {
  app.get<{ Querystring: { mailbox: string; limit?: string } }>(
    '/public/v1/conversations',
    { schema: { response: { 200: page } } },
    async (request, reply) => {
      const key = await authenticate(access, request);
      if (!key) return reply.code(401).send();
      const { mailbox, limit = '25' } = request.query;
      const { rows } = await mail.query<ConversationItem>({
        name: 'list',
        text: list,
        values: [key.tenant_id, mailbox, Number(limit) + 1],
      });
      const conversations = rows.slice(0, Number(limit));
      const last = rows.length > conversations.length ? conversations.at(-1) : undefined;
      const nextPageToken = last
        ? Buffer.from(`${Date.now()} ${last.lastMessageAt} ${last.id}`).toString('base64url')
        : null;
      return { mailbox, conversations, nextPageToken };
    },
  );
}
