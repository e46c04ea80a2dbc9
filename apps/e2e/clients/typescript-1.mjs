// The official TypeScript client, 1.x: url, key, mailbox, name.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { converse } from './conversation.mjs';

const [, , url, key, mailbox, name] = process.argv;
const headers = { 'X-Api-Key': key };
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
await converse(new Client({ name, version: '1' }), transport, mailbox);
