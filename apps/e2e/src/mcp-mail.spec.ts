import { beforeAll, describe, expect, it } from '@jest/globals';
import { harmlessMails } from './agents/harmless-mails.js';
import { hostileMails, type HostileMail } from './agents/hostile-mails.js';
import { deliver } from './mail.js';
import { type Json, McpClient, type ToolResult } from './mcp-client.js';
import { conversationOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

/** Characters that a reader does not see, but for line ends. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?![\n\t])\p{Cc}/u;

interface ShownMessage {
  readonly text: string;
  readonly trust: { readonly level: string; readonly reasons: readonly string[] };
}

const messagesOf = ({ structuredContent }: ToolResult): readonly ShownMessage[] =>
  (structuredContent['conversation'] as { messages: ShownMessage[] }).messages;

/** The parts of a text outside its fence, and within. */
function parted(text: string, boundary: string): { outside: string; inside: string } {
  const [open, close] = [
    `<untrusted-content boundary="${boundary}">\n`,
    `\n</untrusted-content boundary="${boundary}">`,
  ];
  const [before, rest] = [text.slice(0, text.indexOf(open)), text.slice(text.indexOf(open))];
  const inside = rest.slice(open.length, rest.indexOf(close));
  return { outside: before + rest.slice(rest.indexOf(close) + close.length), inside };
}

describe('mail that an agent reads', () => {
  let workplace: Workplace;
  let key: OwnKey;
  let client: McpClient;
  let mailbox: string;
  const ids = new Map<HostileMail, string>();
  let hostile = 0;

  beforeAll(async () => {
    workplace = await Workplace.open('acme');
    mailbox = await workplace.mailbox();
    key = await workplace.keyFor(mailbox, { scopes: ['read:conversations'] });
    client = new McpClient(workplace.product, key.key);
    for (const [i, { title, ...mail }] of [...hostileMails, ...harmlessMails].entries()) {
      const messageId = `<${i}-${Date.now()}@correspondent.example>`;
      const envelope = { from: 'camille@correspondent.example', to: mailbox };
      await deliver(workplace.product, { ...mail, envelope, to: mailbox, messageId });
      const [item] = (
        JSON.parse((await key.get('/v1/conversations', { mailbox, limit: 1 })).text) as {
          conversations: { id: string }[];
        }
      ).conversations;
      const given = [...hostileMails, ...harmlessMails][i];
      if (given && item) ids.set(given, item.id);
    }
  });

  const read = (mail: HostileMail): Promise<ToolResult> =>
    client.call('svc_conversation_get', { id: ids.get(mail), mailbox });

  it('is there, each in a conversation of its own', () => {
    expect(hostileMails.length).toBeGreaterThanOrEqual(60);
    expect(harmlessMails.length).toBeGreaterThanOrEqual(40);
    expect(new Set(ids.values()).size).toBe(hostileMails.length + harmlessMails.length);
  });

  it.each(hostileMails.map((mail) => [mail.title, mail] as const))(
    'is warned of: %s',
    async (_, mail) => {
      const result = await read(mail);
      const [message] = messagesOf(result);
      expect(message?.trust.level).not.toBe('ordinary');
      if (message?.trust.level === 'hostile') hostile++;
      const rest = conversationOf(await key.get(`/v1/conversations/${ids.get(mail)}`, { mailbox }));
      expect((rest.messages[0] as unknown as ShownMessage).trust).toEqual(message?.trust);
    },
  );

  it('is called hostile in sixty cases', () => {
    expect(hostile).toBeGreaterThanOrEqual(60);
  });

  it.each(harmlessMails.map((mail) => [mail.title, mail] as const))(
    'is not hostile: %s',
    async (_, mail) => {
      const [message] = messagesOf(await read(mail));
      expect(message?.trust.level).not.toBe('hostile');
    },
  );

  it.each([...hostileMails, ...harmlessMails].map((mail) => [mail.title, mail] as const))(
    'stands behind its fence, and hides nothing: %s',
    async (_, mail) => {
      const { content, structuredContent, _meta } = await read(mail);
      const boundary = String((_meta as Json)['postroom/boundary']);
      const [{ text } = { text: '' }] = content;
      const { outside, inside } = parted(text, boundary);
      expect(text.split(boundary)).toHaveLength(4);
      expect(outside).toMatch(/^Between the two lines with the boundary \w+ stand data[^<]*$/);
      expect(JSON.parse(inside)).toMatchObject({ conversation: { id: ids.get(mail) } });
      const whole = JSON.stringify(structuredContent);
      expect([text, whole].filter((one) => invisible.test(one))).toEqual([]);
      for (const message of messagesOf({ structuredContent } as ToolResult)) {
        expect(parted(message.text, boundary).outside).toBe('');
        expect(message.text.split(boundary)).toHaveLength(3);
      }
    },
  );

  it('cannot change what the key may do', async () => {
    const { result } = await client.ask('tools/list');
    const { tools } = result as { tools: object[] };
    expect(tools.length).toBeGreaterThan(0);
    for (const tool of ['svc_draft_create', 'svc_contact_create']) {
      expect((await client.callRaw(tool, { mailbox })).error?.code).toBe(-32001);
    }
  });
});
