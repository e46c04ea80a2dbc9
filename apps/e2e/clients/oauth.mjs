// The official TypeScript client, 1.x, by OAuth from the address alone: url, mailbox.
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { authProvider, cameBack, expire, say } from './signing-in.mjs';

const [, , url, mailbox] = process.argv;
const transport = () => new StreamableHTTPClientTransport(new URL(url), { authProvider });
const first = transport();
await new Client({ name: 'oauth', version: '1' }).connect(first).catch((error) => {
  if (!(error instanceof UnauthorizedError)) throw error;
});
await first.finishAuth((await cameBack()).get('code'));
const client = new Client({ name: 'oauth', version: '1' });
await client.connect(transport());
say({ version: '2025-06-18', tools: (await client.listTools()).tools.length });
const search = { name: 'svc_search', arguments: { query: 'order', mailbox } };
const found = await client.callTool(search);
say({ found: found.structuredContent.results.length > 0 });
expire();
say({ again: (await client.listTools()).tools.length });
await client.close();
process.exit(0);
