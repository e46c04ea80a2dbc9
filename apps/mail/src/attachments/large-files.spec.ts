import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@postroom/access';
import {
  attachments,
  conversations,
  fileParts,
  messages,
  newId,
  nextPartHeader,
  type ConversationAnswer,
} from '@postroom/contracts';
import { aKey, aMember } from '@postroom/service-testing';
import { LargeFiles } from './large-files.js';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';

const kibi = 1024;

type Asker = Pick<MailboxOf, 'address'> & { readonly caller: Caller };

describe('a large file', () => {
  let service: MailService;
  let mailbox: MailboxOf;
  beforeAll(async () => {
    service = await MailService.start();
    mailbox = await service.mailbox();
  });
  afterAll(() => service.close());

  const lines = 'Ünder =the= "large"  \t file.\r\n'.repeat(25_000);
  const content = Buffer.from(lines);

  async function received(encoding: 'base64' | 'quoted-printable' | '8bit') {
    const encoded = {
      base64: content.toString('base64').replace(/.{76}/g, '$&\r\n'),
      '8bit': lines,
      'quoted-printable': 'a=3Db=\r\n c \r\n'.repeat(50_000),
    }[encoding];
    const raw = [
      'From: ann@lee.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b',
      `Content-Type: application/x-large\r\nContent-Transfer-Encoding: ${encoding}`,
      'Content-Disposition: attachment; filename=large.bin\r\n',
      `${encoded}\r\n--b--\r\n`,
    ].join('\r\n');
    const envelope = { from: 'ann@lee.example', to: mailbox.address };
    const { id } = await service.conversation(mailbox, { raw, envelope });
    const { address, caller } = mailbox;
    const input = { id, mailbox: address };
    const { body } = await service.call<ConversationAnswer>(conversations.get, input, { caller });
    const [message] = body.conversation.messages;
    if (!message) throw new Error('no message came');
    return { raw, message, attachment: message.attachments[0]?.id ?? '' };
  }

  const ask = (operation: typeof attachments.get | typeof messages.raw, id: string) =>
    service.call<string>(
      operation,
      { id, mailbox: mailbox.address },
      { caller: mailbox.caller, leavesLargeBody: true },
    );
  const askPart = (part: string, { address, caller }: Asker = mailbox) =>
    service.call<string>(fileParts.get, { mailbox: address, part }, { caller });
  const nextOf = ({ headers }: Answer): string | undefined =>
    headers[nextPartHeader] as string | undefined;

  async function partsOf(first: Answer): Promise<Buffer[]> {
    const parts = await service.partsOf(mailbox, first);
    for (const { length } of parts) expect(length).toBeLessThanOrEqual(256 * kibi);
    return parts;
  }

  it.each(['base64', 'quoted-printable', '8bit'] as const)(
    'in %s is answered part by part, each when it is asked for',
    async (encoding) => {
      const { attachment } = await received(encoding);
      const first = await ask(attachments.get, attachment);
      const parts = await partsOf(first);
      const whole = Buffer.concat(parts);
      const said =
        encoding === 'quoted-printable' ? 'a=b c\r\n'.repeat(50_000) : content.toString();
      expect(whole.toString() === said).toBe(true);
      expect(first.headers).toMatchObject({
        'content-length': String(whole.length),
        'content-disposition': 'attachment; filename="large.bin"',
      });
      expect(parts.length).toBeGreaterThan(2);
    },
  );

  it('is a message too, and the store of large bodies has none of it', async () => {
    const { raw, message } = await received('8bit');
    const parts = await partsOf(await ask(messages.raw, message.id));
    expect(Buffer.concat(parts).toString() === raw).toBe(true);
    expect(await service.rows('SELECT FROM blobs.chunks')).toEqual([]);
  });

  it('has no parts for another mailbox or workspace', async () => {
    const { message, attachment } = await received('base64');
    const sibling = await service.mailbox({ tenantId: mailbox.tenantId });
    const others = [sibling, { ...mailbox, caller: aKey() }];
    for (const [operation, id, problem] of [
      [attachments.get, attachment, 'ATTACHMENT_NOT_FOUND'],
      [messages.raw, message.id, 'MESSAGE_NOT_FOUND'],
    ] as const) {
      const next = nextOf(await ask(operation, id)) ?? '';
      for (const other of others) expect(await askPart(next, other)).toMatchObject({ problem });
      expect((await askPart(next)).status).toBe(200);
      const { tenantId } = mailbox;
      const closed = await service.mailbox({ tenantId, access: [newId('mbr')] });
      const member = { ...closed, caller: aMember({ tenantId }) };
      expect(await askPart(next, member)).toMatchObject({ problem: 'MAILBOX_FORBIDDEN' });
    }
  });
});

it('leaves the thread to others after each part of a file, for as long as it took', async () => {
  const spinMs = 30;
  const id = newId('att');
  const starts: number[] = [];
  const readPart = () => {
    const startMs = performance.now();
    starts.push(startMs);
    while (performance.now() < startMs + spinMs);
    return Promise.resolve({ bytes: Buffer.alloc(0), next: null });
  };
  const files = new LargeFiles();
  const reading = { tenantId: 'tnt_1', deadlineMs: Date.now() + 60_000 };
  const content = { id, size: 3, readPart };
  await Promise.all([1, 2, 3].map(() => files.part(reading, content, null)));
  // Timers end a millisecond early at times.
  for (const [at, start] of starts.entries())
    if (at > 0) expect(start - (starts[at - 1] ?? 0)).toBeGreaterThanOrEqual(2 * spinMs - 2);
  expect(starts).toHaveLength(3);
});
