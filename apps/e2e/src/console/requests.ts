import { hash, randomUUID } from 'node:crypto';
import type { ApprovalRequest } from '@postroom/contracts';
import { approvalOf } from '../approving.js';
import { send } from '../http.js';
import { McpClient } from '../mcp-client.js';
import type { Product } from '../product.js';
import type { PublicApi } from '../public-api.js';
import { keyOf, recordOf } from '../wire.js';
import type { Workplace } from '../workplace.js';

/** A mailbox with a conversation, and an agent whose writes wait, for one test. */
export interface AskingAgent {
  readonly name: string;
  readonly keyId: string;
  readonly mailbox: string;
  readonly conversationId: string;
  readonly mcp: McpClient;
  readonly api: PublicApi;
  /** Asks for a comment on the conversation. */
  comment(text: string): Promise<ApprovalRequest>;
  /** Asks for a draft. */
  draft(subject: string, body: string): Promise<ApprovalRequest>;
}

export async function askingAgent(
  place: Workplace,
  name = `Agent ${randomUUID().slice(0, 8)}`,
): Promise<AskingAgent> {
  const mailbox = await place.mailbox();
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
    ...{ api, mcp: new McpClient(place.product, secret) },
    comment: (text) => ask(`/v1/conversations/${id}/comment`, { text }),
    draft: (subject, body) =>
      ask('/v1/drafts', { draft: { subject, body, to: 'camille@correspondent.example' } }),
  };
}

/** An assistant that has registered itself, and asks a member for its consent. */
interface AskingAssistant {
  /** The page that asks. Its answer goes to a page of the product, as if a program on this computer had it. */
  readonly path: string;
  /** @returns a call with the token for which it has redeemed the code, and its status */
  connect(code: string): Promise<() => Promise<number>>;
}

export async function askingAssistant(product: Product, name: string): Promise<AskingAssistant> {
  const at = (path: string): string => new URL(path, product.baseUrl).href;
  const callback = at('/reset');
  const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const registration = JSON.stringify({ client_name: name, redirect_uris: [callback] });
  const registered = await send(at('/oauth/register'), { ...json, body: registration });
  const client = { client_id: String(recordOf(registered)['client_id']), redirect_uri: callback };
  const verifier = randomUUID() + randomUUID();
  const challenge = hash('sha256', verifier, 'base64url');
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
  const asked = new URLSearchParams({ response_type: 'code', ...client, ...pkce });
  return {
    path: `/oauth/authorize?${asked.toString()}`,
    connect: async (code) => {
      const given = { grant_type: 'authorization_code', code, code_verifier: verifier };
      const redeemed = await send(at('/oauth/token'), {
        ...{ method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
        body: new URLSearchParams({ ...client, ...given }).toString(),
      });
      const authorization = `Bearer ${String(recordOf(redeemed)['access_token'])}`;
      return async () =>
        (
          await send(at('/public/mcp/latest'), {
            ...{ method: 'POST', headers: { ...json.headers, authorization } },
            body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
          })
        ).status;
    },
  };
}
