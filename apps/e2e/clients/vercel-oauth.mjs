// The client of Vercel's AI SDK, in revision 2026-07-28, by OAuth from the address alone, and its webhook of events: url,
// mailbox.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  auth,
  createMCPClient,
  experimental_createMCPEventWebhook as createWebhook,
} from '@ai-sdk/mcp';
import { authProvider, cameBack, expire, nextLine, say } from './signing-in.mjs';

const kept = new Map();
const store = {
  get: async (key) => kept.get(key),
  getById: async (id) => [...kept.values()].find((one) => one.id === id),
  set: async (one) => void kept.set(one.key, one),
  update: async (key, patch) => void kept.set(key, { ...kept.get(key), ...patch }),
  delete: async (key) => void kept.delete(key),
};

const [, , url, mailbox] = process.argv;
await auth(authProvider, { serverUrl: new URL(url) });
const authorizationCode = (await cameBack()).get('code');
await auth(authProvider, { serverUrl: new URL(url), authorizationCode });
const client = await createMCPClient({
  transport: { type: 'http', url, authProvider },
  experimental_events: { store },
});
const tools = await client.tools();
say({ version: client.initializeResult.protocolVersion, tools: Object.keys(tools).length });
const found = await tools.svc_search.execute(
  { query: 'order', mailbox },
  { toolCallId: 'x', messages: [] },
);
say({ found: found.structuredContent?.results?.length > 0 });
expire();
say({ again: Object.keys(await client.tools()).length });

const webhook = createWebhook({ store, onEvent: ({ event }) => say({ event: event.name }) });
const server = createServer(async (request, response) => {
  const { method, headers, url: path } = request;
  const asked = { method, headers, body: await buffer(request) };
  const answer = await webhook(new globalThis.Request(`http://${headers.host}${path}`, asked));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(await answer.text());
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const callback = `http://127.0.0.1:${server.address().port}/events`;
const delivery = { mode: 'webhook', url: callback, allowInsecureLocalhost: true };
const { id } = await client.experimental_events.subscribe({
  name: 'conversation.received',
  delivery,
});
say({ listening: true });
await nextLine();
await client.experimental_events.unsubscribe({ id });
say({ kept: kept.size });
await client.close();
process.exit(0);
