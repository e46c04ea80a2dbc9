import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { repetitions } from '@postroom/testing/repetitions';
import { deliver } from './mail.js';
import { strangerOf } from './sameness.js';
import {
  aMessage,
  newKey,
  outboxWith,
  receiptOf,
  repeated,
  sendMessage,
  senderFor,
} from './sending.js';
import { until } from './until.js';
import { conversationOf, errorOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

let place: Workplace;
let mailbox: string;
let api: OwnKey;

beforeAll(async () => {
  place = await Workplace.open('acme');
  mailbox = await place.mailbox();
  api = await senderFor(place, mailbox);
});

const conversation = async (id: string) =>
  conversationOf(await api.get(`/v1/conversations/${id}`, { mailbox }));

describe('sends.create', () => {
  it('answers a receipt, and the message is in the outbox once', async () => {
    const given = aMessage(mailbox, { bcc: ['hidden@correspondent.example'] });
    const answer = await sendMessage(api, given);
    const receipt = receiptOf(answer);
    expect(answer.headers['x-svc-idempotency']).toBeUndefined();
    expect(receipt).toEqual({
      id: expect.stringMatching(/^msg_/),
      threadId: expect.stringMatching(/^cnv_/),
      accepted: ['camille@correspondent.example', 'hidden@correspondent.example'],
      rejected: [],
      providerMessageId: expect.stringMatching(/@acme\.test$/),
      receiptSource: 'smtp',
      dlpStatus: 'ok',
    });
    const sent = await outboxWith(place.product, given.subject);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toContain(`Message-ID: <${receipt.providerMessageId}>`);
    expect(sent[0]).not.toMatch(/^bcc|hidden@/im);
  });

  it('answers a repeat with the first receipt, whoever repeats it', async () => {
    const [key, given] = [newKey(), aMessage(mailbox)];
    const first = await sendMessage(api, given, key);
    receiptOf(first);
    const colleague = await senderFor(place, mailbox);
    const spelled = {
      ...given,
      to: [{ name: 'Camille Martin', address: 'camille@Correspondent.example' }],
    };
    for (const again of [
      await sendMessage(api, given, key),
      await sendMessage(colleague, spelled, key),
      await sendMessage(api, { ...given, dlpWarningToken: 'of another time' }, key),
    ]) {
      expect(again.headers['x-svc-idempotency']).toMatch(repeated);
      expect(again.text).toBe(first.text);
    }
    expect(await outboxWith(place.product, given.subject)).toHaveLength(1);
  });

  it('loses none of many with keys of their own', async () => {
    const count = repetitions(1_000, 60);
    const messages = Array.from({ length: count }, () => aMessage(mailbox));
    const left = [...messages];
    const client = async (): Promise<void> => {
      for (let next = left.pop(); next; next = left.pop()) {
        receiptOf(await sendMessage(api, next));
      }
    };
    await Promise.all(Array.from({ length: 16 }, client));
    const outbox = (await outboxWith(place.product, mailbox)).join('\n');
    const times = messages.map(({ subject }) => outbox.split(`Subject: ${subject}`).length - 1);
    expect(new Set(times)).toEqual(new Set([1]));
  }, 600_000);
});

describe('sends.reply', () => {
  const path = (id: string): string => `/v1/conversations/${id}/send`;

  it('joins the conversation of the path, and the answer to it does too', async () => {
    const { id } = await place.receive(api, mailbox);
    const given = aMessage(mailbox, { threadId: id });
    const receipt = receiptOf(await api.post(path(id), given, newKey()));
    expect(receipt.threadId).toBe(id);
    const [sent = ''] = await outboxWith(place.product, given.subject);
    const [first] = (await conversation(id)).messages;
    expect(sent).toContain(`In-Reply-To: <${first?.messageId ?? ''}>`);
    await deliver(place.product, {
      to: mailbox,
      subject: 'Re: your order',
      inReplyTo: `<${receipt.providerMessageId}>`,
    });
    await until(async () => (await conversation(id)).messageCount === 3);
    const directions = (await conversation(id)).messages.map((one) => one.direction);
    expect(directions).toEqual(['inbound', 'outbound', 'inbound']);
  });

  it('refuses a threadId that contradicts the path', async () => {
    const { id } = await place.receive(api, mailbox);
    const given = aMessage(mailbox, { threadId: strangerOf(id) });
    const answer = await api.post(path(id), given, newKey());
    expect(answer.status).toBe(400);
    expect(errorOf(answer).details).toMatchObject([{ field: 'threadId' }]);
  });
});

describe('a send', () => {
  it.each([
    ['to', {}],
    ['subject', {}],
    ['body', {}],
    ['to', { to: 'nobody' }],
    ['to', { to: ['a@b.example, c@d.example'] }],
    ['to', { to: [{ name: 'Nobody' }] }],
    ['cc', { cc: 12 }],
    ['subject', { subject: 'a\r\nBcc: x@y.example' }],
    ['subject', { subject: 'a\nb' }],
    ['to', { to: [{ email: 'a@b.example', name: 'A\nB' }] }],
    ['priority', { priority: 'high\r\nX: y' }],
    ['attachments', { attachments: [{ contentBase64: 'QQ=', filename: 'a' }] }],
    ['attachments', { attachments: [{ contentBase64: 'QR==', filename: 'a' }] }],
    ['attachments', { attachments: [{ contentBase64: 'QQ==', filename: 'a\nb' }] }],
    ['unheard', { unheard: 1 }],
  ])('names the field %s of %j', async (field, change) => {
    const missing = Object.keys(change).length === 0 ? { [field]: undefined } : {};
    const answer = await sendMessage(api, { ...aMessage(mailbox), ...change, ...missing });
    expect(answer.status).toBe(400);
    expect(errorOf(answer).details?.[0]?.field).toMatch(new RegExp(`^${field}`));
  });

  it('is refused with too many addresses, and with too many files', async () => {
    const people = (count: number, name: string) =>
      Array.from({ length: count }, (_, i) => `${name}${i}@correspondent.example`);
    const many = { to: people(400, 'a'), cc: people(400, 'b') };
    expect((await sendMessage(api, aMessage(mailbox, many))).status).toBe(400);
    expect((await sendMessage(api, aMessage(mailbox, { to: people(501, 'a') }))).status).toBe(400);
    const attachments = Array.from({ length: 51 }, () => ({ contentBase64: 'QQ==' }));
    expect((await sendMessage(api, aMessage(mailbox, { attachments }))).status).toBe(413);
  });

  it('needs a person’s key with write access to the mailbox', async () => {
    const given = aMessage(mailbox);
    for (const agent of [place.tenant.keys.agent, place.tenant.keys.agentDirect]) {
      expect((await place.with(agent).post('/v1/send', given, newKey())).status).toBe(403);
    }
    const reader = await senderFor(place, mailbox);
    await place.settings.patch(`/keys/${reader.id}`, {
      mailboxes: [{ address: mailbox, access: 'read' }],
    });
    expect((await sendMessage(reader, given)).status).toBe(403);
    const stranger = await senderFor(place, await place.mailbox());
    expect((await sendMessage(stranger, given)).status).toBe(403);
    expect(await outboxWith(place.product, given.subject)).toEqual([]);
  });

  it('carries files up to the limit by reference, and refuses one byte more', async () => {
    const bytes = randomBytes((26_214_400 / 4) * 3);
    const large = { contentBase64: bytes.toString('base64'), filename: 'large.bin' };
    const given = aMessage(mailbox, { attachments: [large] });
    const { threadId } = receiptOf(await sendMessage(api, given));
    const [file] = (await conversation(threadId)).messages[0]?.attachments ?? [];
    expect(file).toMatchObject({ filename: 'large.bin', size: bytes.length });
    const url = `${place.product.baseUrl}/v1/attachments/${file?.id ?? ''}?mailbox=${mailbox}`;
    const download = await fetch(url, { headers: { 'X-Api-Key': api.key } });
    const found = Buffer.from(await download.arrayBuffer());
    expect(found.equals(bytes)).toBe(true);
    const tooLarge = { contentBase64: 'QQ==', filename: 'more.bin' };
    const more = { ...given, attachments: [large, tooLarge] };
    expect((await sendMessage(api, more)).status).toBe(413);
  });
});
