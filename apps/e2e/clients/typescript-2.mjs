// The official TypeScript client, 2.x: url, key, mailbox, name, and how it negotiates.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { converse } from './conversation.mjs';

const [, , url, key, mailbox, name, mode] = process.argv;
const headers = { 'X-Api-Key': key };
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
const options = mode === undefined ? {} : { versionNegotiation: { mode } };
await converse(new Client({ name, version: '1' }, options), transport, mailbox);
