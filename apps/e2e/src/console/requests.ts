import { randomUUID } from 'node:crypto';
import type { ApprovalRequest } from '@postroom/contracts';
import { approvalOf } from '../approving.js';
import { McpClient } from '../mcp-client.js';
import { keyOf } from '../wire.js';
import type { Workplace } from '../workplace.js';

/** A mailbox with a conversation, and an agent whose writes wait, for one test. */
export interface AskingAgent {
  readonly name: string;
  readonly keyId: string;
  readonly mailbox: string;
  readonly conversationId: string;
  readonly mcp: McpClient;
  /** Asks for a comment on the conversation. */
  comment(text: string): Promise<ApprovalRequest>;
  /** Asks for a draft. */
  draft(subject: string, body: string): Promise<ApprovalRequest>;
}

export async function askingAgent(place: Workplace): Promise<AskingAgent> {
  const mailbox = await place.mailbox();
  const name = `Agent ${randomUUID().slice(0, 8)}`;
  const wishes = { name, kind: 'agent', approval: 'required' };
  const { key, secret } = keyOf(
    await place.settings.post('/keys', {
      ...wishes,
      ...{ mailboxes: [{ address: mailbox, access: 'write' }], member: place.tenant.admin.email },
      scopes: ['read:conversations', 'write:conversations', 'drafts:write'],
    }),
  );
  const { id } = await place.receive(await place.keyFor(mailbox), mailbox);
  const api = place.with(secret);
  const ask = async (path: string, body: object): Promise<ApprovalRequest> =>
    approvalOf(await api.post(path, { mailbox, ...body }, randomUUID()));
  return {
    ...{ name, keyId: key.id, mailbox, conversationId: id },
    mcp: new McpClient(place.product, secret),
    comment: (text) => ask(`/v1/conversations/${id}/comment`, { text }),
    draft: (subject, body) =>
      ask('/v1/drafts', { draft: { subject, body, to: 'camille@correspondent.example' } }),
  };
}
