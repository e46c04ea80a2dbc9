// The client of Vercel's AI SDK, by OAuth from the address alone: url, mailbox.
import { auth, createMCPClient } from '@ai-sdk/mcp';
import { authProvider, cameBack, expire, say } from './signing-in.mjs';

const [, , url, mailbox] = process.argv;
await auth(authProvider, { serverUrl: new URL(url) });
const authorizationCode = (await cameBack()).get('code');
await auth(authProvider, { serverUrl: new URL(url), authorizationCode });
const client = await createMCPClient({ transport: { type: 'http', url, authProvider } });
const tools = await client.tools();
say({ version: '2025-06-18', tools: Object.keys(tools).length });
const found = await tools.svc_search.execute(
  { query: 'order', mailbox },
  { toolCallId: 'x', messages: [] },
);
say({ found: found.structuredContent?.results?.length > 0 });
expire();
say({ again: Object.keys(await client.tools()).length });
await client.close();
process.exit(0);
