// The client of Vercel's AI SDK: url, key, mailbox, name. It does what conversation.mjs does, as far as it can.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createMCPClient } from '@ai-sdk/mcp';

const [, , url, key, mailbox, name] = process.argv;
const say = (told) => process.stdout.write(`${JSON.stringify(told)}\n`);
const transport = { type: 'http', url, headers: { 'X-Api-Key': key } };
const client = await createMCPClient({ transport });
const tools = await client.tools();
say({ tools: Object.keys(tools) });
const call = async (tool, args) => tools[tool].execute(args, { toolCallId: 'x', messages: [] });
const found = await call('svc_search', { query: 'order', mailbox });
say({ found: found.structuredContent?.results?.length > 0, isError: found.isError });
const draft = { mailbox, subject: `By ${name}`, body: 'Hello' };
const filed = await call('svc_draft_create', draft);
say({ filed: filed.structuredContent.approval.id, isError: filed.isError });
await once(createInterface(process.stdin), 'line');
const done = await call('svc_draft_create', draft);
say({ draft: done.structuredContent.draft?.subject, isError: done.isError });
await client.close();
process.exit(0);
