// Each TypeScript client says on its output what it saw, one JSON object a line, and waits
// for a line on its input before it repeats the write that it filed.
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const say = (told) => process.stdout.write(`${JSON.stringify(told)}\n`);

/** Connects, lists, searches, reads, files a draft, and asks what became of it. */
export async function converse(client, transport, mailbox) {
  await client.connect(transport);
  say({ server: client.getServerVersion() });
  const { tools } = await client.listTools();
  say({ tools: tools.map(({ name }) => name) });
  const found = await client.callTool({
    name: 'svc_search',
    arguments: { query: 'order', mailbox },
  });
  const [{ conversationId }] = found.structuredContent.results;
  const read = await client.callTool({
    name: 'svc_conversation_get',
    arguments: { id: conversationId, mailbox },
  });
  say({ read: read.structuredContent.conversation.id, isError: read.isError });
  const draft = {
    name: 'svc_draft_create',
    arguments: { mailbox, subject: `By ${process.argv[5]}`, body: 'Hello' },
  };
  const filed = await client.callTool(draft);
  say({ filed: filed.structuredContent.approval.id, isError: filed.isError });
  await once(createInterface(process.stdin), 'line');
  const done = await client.callTool(draft);
  say({ draft: done.structuredContent.draft?.subject, isError: done.isError });
  const refused = await client
    .callTool({ name: 'svc_nothing', arguments: {} })
    .catch((error) => error);
  say({ unknown: refused.code });
  await client.close();
  process.exit(0);
}
