// The official TypeScript client, 2.x, in revision 2026-07-28, by OAuth from the address alone, and the official
// package of tasks: url, mailbox.
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import {
  createTaskSessionFromClient,
  resultFromTaskOutcome,
} from '@modelcontextprotocol/ext-tasks/client';
import { authProvider, cameBack, expire, say } from './signing-in.mjs';

const [, , url, mailbox] = process.argv;
const protocolVersion = '2026-07-28';
const clientInfo = { name: 'latest', version: '1' };
const options = { versionNegotiation: { mode: { pin: protocolVersion } } };
const transport = () => new StreamableHTTPClientTransport(new URL(url), { authProvider });
const first = transport();
await new Client(clientInfo, options).connect(first).catch((error) => {
  if (!(error instanceof UnauthorizedError)) throw error;
});
await first.finishAuth(await cameBack());
const client = new Client(clientInfo, options);
await client.connect(transport());
const { tools } = await client.listTools();
say({ version: client.getNegotiatedProtocolVersion(), tools: tools.length });
const search = { name: 'svc_search', arguments: { query: 'order', mailbox } };
const found = await client.callTool(search);
say({ found: found.structuredContent.results.length > 0 });
expire();
say({ again: (await client.listTools(undefined, { cacheMode: 'refresh' })).tools.length });

/** Requests of tasks, which the client itself does not know: they are sent as they are. */
async function rawDispatch(request) {
  const { method, params } = request;
  const { access_token: token } = await authProvider.tokens();
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': protocolVersion,
      'Mcp-Method': method,
      'Mcp-Name': params.name ?? params.taskId,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }),
  });
  const { result, error } = await response.json();
  return error ? { kind: 'error', error } : { kind: 'result', result };
}
const session = createTaskSessionFromClient(client, {
  endpointId: url,
  rawDispatch,
  v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities: {} },
});
const draft = { mailbox, subject: 'By latest', body: 'Hello' };
const execution = await session.callTool('svc_draft_create', draft);
say({ filed: execution.handle.taskId });
const { outcome } = await execution.settle();
say({ draft: resultFromTaskOutcome(outcome).structuredContent.draft.subject });
await session.close();
process.exit(0);
