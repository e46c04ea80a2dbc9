import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  conversations,
  drafts,
  erasedAddress,
  mailPersons,
  messages,
  newId,
  search as searching,
  suppressionSettings,
  type Conversation,
  type ConversationAnswer,
  type ErasePerson,
  type ErasureStep,
  type ExportPerson,
  type PersonLines,
  type SearchAnswer,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';

const ann = 'ann@correspondent.example';
const erased = { email: erasedAddress, name: null };

describe('a correspondent’s data', () => {
  let service: MailService;
  let mailbox: MailboxOf;
  let beside: MailboxOf;

  beforeAll(async () => {
    service = await MailService.start();
    mailbox = await service.mailbox();
    beside = await service.mailbox();
    for (const box of [mailbox, beside]) {
      const { id } = await service.conversation(box, {
        from: `Ann Aardvark <${ann.toUpperCase()}>`,
        subject: 'Zebra',
        text: 'My number is 5551234.',
        html: '<p>My number is 5551234.</p>',
        messageId: `<first-${box.id}@x.test>`,
        attachments: [{ filename: 'passport.txt', content: 'photo' }],
      });
      const { address, caller } = box;
      const comment = { id, mailbox: address, text: 'A remark of ours' };
      await service.call(conversations.comment, comment, { caller, idempotencyKey: newId('req') });
      await service.send({
        from: 'Bob <bob@correspondent.example>',
        to: [address, `Ann <${ann}>`],
        subject: 'Lunch',
        text: 'Bob writes',
        messageId: `<second-${box.id}@x.test>`,
        inReplyTo: `<first-${box.id}@x.test>`,
        attachments: [{ filename: 'menu.txt', content: 'soup' }],
      });
      const draft = { to: [{ email: ann, name: 'Ann' }], subject: 'Hi' };
      await service.call(drafts.create, { mailbox: address, draft }, { caller });
      const suppressed = { address: ann.toUpperCase() };
      await service.call(suppressionSettings.add, suppressed, { caller: admin(box) });
    }
  });
  afterAll(() => service.close());

  const admin = ({ tenantId }: MailboxOf) => anAdmin({ tenantId });
  const erase = async (given: { email?: string; dryRun?: boolean } = {}): Promise<object> => {
    const sum = { messages: 0, mentions: 0, drafts: 0, contacts: 0, events: 0 };
    for (let after: string | null = ''; after !== null;) {
      const input: ErasePerson = { email: ann, dryRun: false, ...given, after };
      const caller = admin(mailbox);
      const answer: Answer<ErasureStep> = await service.call(mailPersons.erase, input, { caller });
      if (answer.problem !== null) return { problem: answer.problem };
      for (const kind of Object.keys(sum) as (keyof typeof sum)[]) sum[kind] += answer.body[kind];
      ({ after } = answer.body);
    }
    return sum;
  };
  const exported = async (): Promise<{ type: string; data: Record<string, unknown> }[]> => {
    const lines: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const input: ExportPerson = { email: ann, after };
      const caller = admin(mailbox);
      const answer: Answer<PersonLines> = await service.call(mailPersons.export, input, { caller });
      lines.push(...answer.body.lines.split('\n').filter((line) => line !== ''));
      ({ after } = answer.body);
    }
    return lines.map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> });
  };
  const whole = async (box: MailboxOf): Promise<Conversation> => {
    const { address, caller } = box;
    const [item] = await service.list(box);
    const input = { id: item?.id ?? '', mailbox: address };
    const answer = await service.call<ConversationAnswer>(conversations.get, input, { caller });
    return answer.body.conversation;
  };
  const found = async (box: MailboxOf, q: string): Promise<number> => {
    const input = { mailbox: box.address, q, limit: 10 };
    const { body } = await service.call<SearchAnswer>(searching.conversations, input, {
      caller: box.caller,
    });
    return body.results.length;
  };

  it('is exported as JSON and as bytes, of their messages and those to them', async () => {
    const lines = await exported();
    expect(lines.map(({ type }) => type)).toEqual([
      ...['suppression', 'message', 'eml', 'message', 'eml'],
    ]);
    expect(lines[0]?.data).toMatchObject({ address: ann, reason: 'member' });
    expect(lines[1]?.data).toMatchObject({ subject: 'Zebra', direction: 'inbound' });
    const bytes = Buffer.from(String(lines[2]?.data['base64']), 'base64').toString();
    expect(bytes).toContain('My number is 5551234.');
  });

  it('is counted by a dry run, which changes nothing', async () => {
    const counts = { messages: 1, mentions: 1, drafts: 1, contacts: 0, events: 0 };
    expect(await erase({ dryRun: true })).toEqual(counts);
    expect(await whole(mailbox)).toMatchObject({ subject: 'Zebra' });
    expect((await service.audit(mailbox)).map(({ action }) => action)).not.toContain(
      'persons.erase',
    );
  });

  it.each(['', '+tag'])('is none of a mailbox’s own (%s)', async (tag) => {
    const email = mailbox.address.replace('@', `${tag}@`);
    expect(await erase({ email })).toEqual({ problem: 'OWN_ADDRESS' });
  });

  it('is erased once: texts, files, bytes, words, and the address everywhere', async () => {
    const before = await whole(mailbox);
    const counts = { messages: 1, mentions: 1, drafts: 1, contacts: 0, events: 0 };
    expect(await erase()).toEqual(counts);
    const after = await whole(mailbox);
    const [first, second] = after.messages;
    expect(after).toMatchObject({
      ...{ subject: '', version: before.version + 1, hasAttachments: true, preview: 'Bob writes' },
      participants: [erased, { email: 'bob@correspondent.example', name: 'Bob' }],
      comments: [{ text: 'A remark of ours' }],
    });
    expect(first).toMatchObject({
      ...{ from: erased, subject: '', preview: '', text: null, html: null, extractedText: null },
      ...{ attachments: [], sizeBytes: 0 },
    });
    expect(second).toMatchObject({ subject: 'Lunch', text: 'Bob writes\n', to: [{}, erased] });
    const dump = await service.rows<{ row: string }>(
      `SELECT row_to_json(m)::text AS row FROM messages m WHERE tenant_id = $1
       UNION ALL SELECT row_to_json(c)::text FROM conversations c WHERE tenant_id = $1
       UNION ALL SELECT row_to_json(d)::text FROM drafts d WHERE tenant_id = $1
       UNION ALL SELECT row_to_json(s)::text FROM suppressions s WHERE tenant_id = $1
       UNION ALL SELECT document::text FROM search_documents WHERE tenant_id = $1
       UNION ALL SELECT encode(raw, 'escape') FROM raw_messages WHERE tenant_id = $1`,
      [mailbox.tenantId],
    );
    expect(dump.map(({ row }) => row).join('\n')).not.toMatch(
      /ann@corr|Aardvark|5551234|passport|photo/i,
    );
    const raw = { id: second?.id ?? '', mailbox: mailbox.address };
    const { text } = await service.call(messages.raw, raw, { caller: mailbox.caller });
    expect(text).toMatch(/^Subject: Lunch\r$/m);
    expect(await Promise.all(['aardvark', 'remark', 'bob'].map((q) => found(mailbox, q)))).toEqual([
      0, 1, 1,
    ]);
    expect(await erase()).toEqual({ ...counts, messages: 0, mentions: 0, drafts: 0 });
    expect(
      (await service.audit(mailbox)).filter(({ action }) => action === 'persons.erase'),
    ).toHaveLength(2);
    expect(await whole(beside)).toMatchObject({
      subject: 'Zebra',
      messages: [{ subject: 'Zebra' }, {}],
    });
  });
});
