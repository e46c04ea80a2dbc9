import type { ConversationPage, DraftPage } from '@postroom/contracts';
import type { DemoTenant } from './demo-facts.js';

/** The labels of the demo's conversations, by subject. */
const letters = [
  { mailbox: 0, subject: 'Facture', labels: ['Facturation', 'Urgent'] },
  { mailbox: 0, subject: 'Cannot sign in', labels: ['Connexion'] },
  { mailbox: 1, subject: 'Extending our trial', labels: ['Essai'] },
] as const;

/** A draft that answers one of the messages. */
const draft = {
  to: 'Claire Dubois <claire.dubois@example.com>',
  subject: 'Re: Facture n° 2026-118 : TVA erronée',
  body: '<p>Bonjour Claire,</p><p>merci, la facture corrigée part aujourd’hui.</p>',
};

/** Two writes of the demo's agent, which wait for a person. */
const asked = [
  {
    mailbox: 0,
    subject: 'Cannot sign in',
    write: (id: string) => ({
      path: `/v1/conversations/${id}/comment`,
      body: { text: 'Looks like the password reset of last week. Shall I answer with the guide?' },
    }),
  },
  {
    mailbox: 1,
    subject: 'Extending our trial',
    write: () => ({
      path: '/v1/drafts',
      body: {
        draft: { subject: 'Your trial', body: '<p>We have extended it by two weeks.</p>' },
      },
    }),
  },
] as const;

/** The configured rate limit of the key is exhausted. */
class LimitReached extends Error {}

/**
 * Labels some of the demo's conversations, drafts an answer to one, and lets its agent ask for two writes,
 * through the public API. It is idempotent; what a low rate limit leaves undone, the next start does.
 */
export async function workOnDemoMail(publicUrl: string, tenant: DemoTenant): Promise<void> {
  try {
    await work(publicUrl, tenant);
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error;
  }
}

async function work(publicUrl: string, { mailboxes, keys }: DemoTenant): Promise<void> {
  const call = async (
    path: string,
    body?: object,
    { key = keys.human, idempotencyKey }: { key?: string; idempotencyKey?: string } = {},
  ): Promise<unknown> => {
    const response = await fetch(`${publicUrl}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        'x-api-key': key,
        ...(body && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (response.status === 429) throw new LimitReached();
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return response.json();
  };
  const find = async (mailbox: string, subject: string) => {
    const page = await call(`/v1/conversations?mailbox=${encodeURIComponent(mailbox)}`);
    const { conversations } = page as ConversationPage;
    return conversations.find((one) => one.subject.startsWith(subject));
  };
  for (const { mailbox: which, subject, write } of asked) {
    const mailbox = mailboxes[which] ?? '';
    const found = await find(mailbox, subject);
    if (!found) continue;
    const { path, body } = write(found.id);
    await call(path, { mailbox, ...body }, { key: keys.agent, idempotencyKey: `demo ${subject}` });
  }
  for (const { mailbox: which, subject, labels } of letters) {
    const mailbox = mailboxes[which] ?? '';
    const found = await find(mailbox, subject);
    if (!found) continue;
    await call(`/v1/conversations/${found.id}/labels`, { mailbox, add: labels });
    if (subject !== 'Facture') continue;
    const { drafts } = (await call(
      `/v1/drafts?mailbox=${encodeURIComponent(mailbox)}`,
    )) as DraftPage;
    const answering = { ...draft, inReplyTo: found.lastMessageId };
    if (drafts.length === 0) await call('/v1/drafts', { mailbox, draft: answering });
  }
}
