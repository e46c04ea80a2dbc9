import { createClient, PostroomError, verifyWebhook, waitForApproval } from '@postroom/sdk';

const human = createClient({ baseUrl: 'https://postroom.example/public', apiKey: 'pr_human_x' });
const agent = createClient({
  baseUrl: 'https://postroom.example/public',
  apiKey: 'pr_agent_x',
  agent: true,
});

export async function use(mailbox: string, file: Blob): Promise<string> {
  for await (const { subject, from } of human.conversations.iterate({ mailbox, status: 'open' }))
    if (from?.email === 'x') return subject;
  const { id } = await human.messages.send({
    mailbox,
    to: 'a@b.test',
    subject: 'S',
    body: 'B',
    attachments: [{ content: file }],
  });
  const written = await agent.drafts.create({ mailbox, draft: { subject: 'S' } });
  const { draft } = await waitForApproval(written);
  const event = await verifyWebhook('{}', new Headers(), 'whsec_x');
  if (event.type === 'conversation.commented') return event.data.comment.text;
  // @ts-expect-error No conversation has this status.
  await human.conversations.list({ mailbox, status: 'opened' });
  // @ts-expect-error An agent's write may wait.
  (await agent.conversations.archive({ id, mailbox })).result;
  return draft.id;
}
export const isLimit = (error: unknown): boolean =>
  error instanceof PostroomError && error.code === 'RATE_LIMITED';
