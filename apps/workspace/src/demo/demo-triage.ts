import type { ConversationPage } from '@postroom/contracts';
import type { DemoTenant } from './demo-facts.js';

/** What is done with the demo's letters, by their subjects. */
const work = [
  { mailbox: 0, subject: 'Facture', labels: ['Facturation', 'Urgent'] },
  { mailbox: 0, subject: 'Cannot sign in', labels: ['Connexion'] },
  { mailbox: 1, subject: 'Extending our trial', labels: ['Essai'] },
] as const;

/** Labels some of the demo's conversations through the public API; repeated it changes nothing. */
export async function labelDemoMail(
  publicUrl: string,
  { mailboxes, keys }: DemoTenant,
): Promise<void> {
  const call = async (path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${publicUrl}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-api-key': keys.human, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return response.json();
  };
  for (const { mailbox: which, subject, labels } of work) {
    const mailbox = mailboxes[which] ?? '';
    const page = await call(`/v1/conversations?mailbox=${encodeURIComponent(mailbox)}`);
    const { conversations } = page as ConversationPage;
    const found = conversations.find((one) => one.subject.startsWith(subject));
    if (found) await call(`/v1/conversations/${found.id}/labels`, { mailbox, add: labels });
  }
}
