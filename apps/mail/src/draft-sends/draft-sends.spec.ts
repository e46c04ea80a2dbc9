import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  conversations,
  dlpRules,
  drafts,
  draftSends,
  newId,
  type ConversationAnswer,
  type DlpDetector,
  type DlpRuleAnswer,
} from '@postroom/contracts';
import { aMember, anAdmin } from '@postroom/service-testing';
import { always, first, obliging, ScriptedSmtp } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import { DraftSendings, soon, type MemberMailbox } from '../testing/draft-sendings.js';
import { MailService } from '../testing/mail-service.js';

const dayMs = 24 * 60 * 60_000;

describe('drafts that members send', () => {
  let server: ScriptedSmtp;
  let service: MailService;
  let sending: DraftSendings;
  let mailbox: MemberMailbox;

  beforeAll(async () => {
    server = await ScriptedSmtp.listen();
    service = await MailService.start({ OUTGOING_SMTP_URL: server.url });
    sending = new DraftSendings(service);
    await sending.serve();
    mailbox = await sending.mailbox();
  });

  afterAll(async () => {
    await service.close();
    await server.close();
  });

  const gone = (id: string) => sending.eventually(mailbox, id, (draft) => draft === undefined);
  const failed = (id: string) =>
    sending.eventually(mailbox, id, (draft) => draft?.scheduled?.state === 'failed');

  it('leave now with their files, in their conversation, and are gone with the receipt', async () => {
    server.reset(obliging);
    const { id: threadId } = await service.conversation(mailbox);
    const contentBase64 = Buffer.alloc(300_000, 'x').toString('base64');
    const attachments = [{ contentBase64, filename: 'a.txt', mimeType: 'text/plain' }];
    const { id, version } = await sending.createDraft(mailbox, { threadId, attachments });
    const sent = await sending.send(mailbox, id, { ifMatch: version });
    expect(sent).toMatchObject({ status: 200, body: { threadId, receiptSource: 'smtp' } });
    expect(await sending.list(mailbox)).toEqual([]);
    const again = await sending.send(mailbox, id);
    expect(again).toMatchObject({ body: sent.body, headers: { 'x-svc-idempotency': 'hit' } });
    expect(server.delivered).toHaveLength(1);
    const seen = await service.call<ConversationAnswer>(
      conversations.get,
      { id: threadId, mailbox: mailbox.address },
      { caller: mailbox.caller },
    );
    expect(seen.body.conversation).toMatchObject({ draftCount: 0, messageCount: 2 });
    expect(seen.body.conversation.messages[1]).toMatchObject({
      createdBy: { type: 'member', id: mailbox.member.memberId },
      attachments: [{ filename: 'a.txt', size: 300_000 }],
    });
    expect(await service.audit(mailbox)).toContainEqual(
      expect.objectContaining({ action: 'draftSends.send', subjectId: sent.body.id }),
    );
  });

  it('refuse what is no message yet, another version, and times that cannot be', async () => {
    const empty = await sending.createDraft(mailbox, { to: [], subject: '' });
    expect(await sending.send(mailbox, empty.id)).toMatchObject({
      status: 400,
      body: { violations: [{ field: 'to' }, { field: 'subject' }] },
    });
    const { id } = await sending.createDraft(mailbox);
    const inMs = (ms: number) => ({ sendAt: new Date(Date.now() + ms).toISOString() });
    const cases = [
      [id, inMs(-1000), 'INVALID_REQUEST'],
      [id, inMs(367 * dayMs), 'INVALID_REQUEST'],
      [id, { ifMatch: 7 }, 'VERSION_CONFLICT'],
      [id, { ...inMs(dayMs), ifMatch: 7 }, 'VERSION_CONFLICT'],
      [newId('drf'), {}, 'DRAFT_NOT_FOUND'],
    ] as const;
    for (const [draft, given, problem] of cases)
      expect(await sending.send(mailbox, draft, given)).toMatchObject({ problem });
    const other = { ...mailbox, member: aMember() };
    expect(await sending.send(other, id)).toMatchObject({ problem: 'MAILBOX_FORBIDDEN' });
    const closed = await sending.mailbox({ access: [newId('mbr')] });
    expect(await sending.send(closed, id)).toMatchObject({ problem: 'MAILBOX_FORBIDDEN' });
  });

  it('wait for their time, unchanged, until they are held back', async () => {
    const { id, version } = await sending.createDraft(mailbox);
    const sendAt = new Date(Date.now() + 360 * dayMs).toISOString();
    const { body } = await sending.send(mailbox, id, { sendAt, ifMatch: version });
    const by = mailbox.member.memberId;
    const scheduled = { sendAt, by, state: 'waiting', reason: null };
    expect(body.draft).toMatchObject({ id, version: version + 1, scheduled });
    const change = () =>
      service.call(
        drafts.update,
        { id, mailbox: mailbox.address, draft: { subject: 'Other' } },
        { caller: mailbox.caller },
      );
    expect(await change()).toMatchObject({ status: 409, problem: 'DRAFT_SCHEDULED' });
    const read = (of: MemberMailbox) =>
      service.call(draftSends.get, { id, mailbox: of.address }, { caller: of.member });
    expect((await read(mailbox)).body).toEqual(body);
    expect(await read(await sending.mailbox())).toMatchObject({ problem: 'DRAFT_NOT_FOUND' });
    const held = await sending.unsend(mailbox, id);
    expect(held.body.draft).toMatchObject({ version: version + 2, scheduled: null });
    expect(await sending.unsend(mailbox, id)).toMatchObject({ body: { draft: held.body.draft } });
    expect(await change()).toMatchObject({ status: 200 });
  });

  /** Its time comes. */
  const comesDue = (id: string): Promise<unknown> =>
    service.rows('UPDATE drafts SET send_at = now(), send_due = now() WHERE id = $1', [id]);

  it('leave at their time, by the member who sent them', async () => {
    server.reset(obliging);
    const { id } = await sending.createDraft(mailbox);
    await sending.send(mailbox, id, { sendAt: soon(60_000) });
    await comesDue(id);
    expect(await gone(id)).toBeUndefined();
    expect(server.delivered).toHaveLength(1);
    const { body } = await sending.send(mailbox, id);
    expect(body.id).toMatch(/^msg_/);
    const events = await service.events(mailbox);
    expect(events.filter(({ type }) => type === 'message.sent').at(-1)).toMatchObject({
      source: 'app',
      actor: { type: 'member', id: mailbox.member.memberId },
    });
  });

  it('stay with the reason where something forbids it at their time', async () => {
    server.reset(obliging);
    const { permission } = sending;
    const { member } = permission;
    const box = await sending.mailbox();
    const taken = `UPDATE mailboxes SET access = '[]' WHERE id = $1`;
    const cases = [
      ['SEND_SWITCH_CLOSED', () => (permission.sendOpen = false)],
      ['MEMBER_REMOVED', () => (permission.member = null)],
      ['MAILBOX_FORBIDDEN', () => service.rows(taken, [box.id])],
    ] as const;
    for (const [reason, forbid] of cases) {
      const { id } = await sending.createDraft(box);
      await sending.send(box, id, { sendAt: soon(60_000) });
      await forbid();
      await comesDue(id);
      const found = await sending.eventually(box, id, (d) => d?.scheduled?.state === 'failed');
      expect(found?.scheduled).toMatchObject({ reason, by: box.member.memberId });
      Object.assign(permission, { sendOpen: true, member });
    }
    expect(server.delivered).toHaveLength(0);
    const told = await service.rows<{ envelope: string }>(
      `SELECT envelope FROM outbox WHERE type = 'draft.failed'
       UNION ALL SELECT envelope FROM published_events WHERE type = 'draft.failed'`,
    );
    expect(told.map(({ envelope }) => JSON.parse(envelope) as object)).toMatchObject(
      cases.map(() => ({ draft: { sentBy: box.member.memberId } })),
    );
  });

  it('are judged by data-loss rules at the call and at their time, and a token covers both', async () => {
    const box = await sending.mailbox();
    const caller = anAdmin({ tenantId: box.tenantId });
    const everywhere = { mailboxes: [], enabled: true };
    const addRule = (name: string, detector: DlpDetector, pattern: string) =>
      service.call<DlpRuleAnswer>(
        dlpRules.create,
        { ...{ name, detector, pattern, action: 'warn' }, ...everywhere },
        { caller },
      );
    const { rule } = (await addRule('Words', 'pattern', 'secret')).body;
    await addRule('Files', 'attachment_type', 'text/plain');
    server.reset(obliging);
    const file = { contentBase64: 'YQ==', filename: 'a.txt', mimeType: 'text/plain' };
    const given = { body: '<p>a s<b>ecret</b></p>', attachments: [file] };
    const findings = [
      { rule: 'Words', place: 'body', excerpt: 's••••t' },
      { rule: 'Files', place: 'attachments', excerpt: 'a•••t' },
    ];
    const { id } = await sending.createDraft(box, given);
    const sendAt = soon(60_000);
    const asked = await sending.send(box, id, { sendAt });
    expect(asked).toMatchObject({ problem: 'DLP_WARNING', body: { fields: { findings } } });
    expect((await sending.list(box))[0]?.scheduled).toBeNull();
    const dlpWarningToken = String(asked.body.fields?.['dlpWarningToken']);
    const other = await sending.createDraft(box, { ...given, subject: 'Another' });
    const elsewhere = await sending.send(box, other.id, { sendAt, dlpWarningToken });
    expect(elsewhere).toMatchObject({ problem: 'DLP_WARNING' });
    const confirmed = await sending.send(box, id, { sendAt, dlpWarningToken });
    expect(confirmed).toMatchObject({ body: { draft: { scheduled: { state: 'waiting' } } } });
    // Ten minutes pass for the token, and its time comes.
    await service.rows(`UPDATE dlp_warnings SET expires_at = expires_at - interval '10 minutes'`);
    await comesDue(id);
    expect(await sending.eventually(box, id, (draft) => !draft)).toBeUndefined();
    expect((await sending.send(box, id)).body).toMatchObject({ dlpStatus: 'warning_required' });
    const overridden = (await service.audit(box)).filter(
      ({ action }) => action === 'dlp.overridden',
    );
    expect(overridden.map(({ actorId }) => actorId)).toEqual([
      box.member.memberId,
      box.member.memberId,
    ]);
    // A rule that blocks by the time is not overridden, and refuses at the call.
    const { fields } = (await sending.send(box, other.id, { sendAt })).body;
    const again = String(fields?.['dlpWarningToken']);
    await sending.send(box, other.id, { sendAt, dlpWarningToken: again });
    await service.call(dlpRules.update, { id: rule.id, action: 'block' }, { caller });
    await comesDue(other.id);
    const stopped = await sending.eventually(
      box,
      other.id,
      (d) => d?.scheduled?.state === 'failed',
    );
    expect(stopped?.scheduled?.reason).toBe('DLP_BLOCKED');
    for (const at of [{ sendAt }, {}])
      expect(await sending.send(box, other.id, at)).toMatchObject({
        ...{ problem: 'DLP_BLOCKED', body: { fields: { findings } } },
      });
  });

  it('stay where a rule warns that did not warn at the call', async () => {
    const box = await sending.mailbox();
    const caller = anAdmin({ tenantId: box.tenantId });
    const { id } = await sending.createDraft(box, { body: 'a secret' });
    await sending.send(box, id, { sendAt: soon(60_000) });
    const rule = { name: 'Words', detector: 'pattern', pattern: 'secret', action: 'warn' } as const;
    await service.call(dlpRules.create, { ...rule, mailboxes: [], enabled: true }, { caller });
    await service.rows('UPDATE drafts SET send_due = now() WHERE id = $1', [id]);
    const warned = await sending.eventually(box, id, (d) => d?.scheduled?.state === 'failed');
    expect(warned?.scheduled?.reason).toBe('DLP_WARNING');
  });

  it('are given back with a refusal, wait for a server that has no time, and fail for good', async () => {
    server.reset(always('rcpt', { reply: '550 5.1.1 Nobody' }));
    const refused = await sending.createDraft(mailbox);
    expect(await sending.send(mailbox, refused.id)).toMatchObject({
      problem: 'RECIPIENTS_REFUSED',
    });
    expect(await sending.list(mailbox)).toContainEqual(refused);
    await sending.send(mailbox, refused.id, { sendAt: soon(60_000) });
    await comesDue(refused.id);
    expect((await failed(refused.id))?.scheduled?.reason).toBe('RECIPIENTS_REFUSED');
    server.reset(first(1, 'mail', { reply: '451 4.3.0 Later' }));
    const late = await sending.createDraft(mailbox);
    await sending.send(mailbox, late.id, { sendAt: soon(60_000) });
    await comesDue(late.id);
    const held = await sending.eventually(mailbox, late.id, (d) => d?.scheduled?.reason != null);
    expect(held?.scheduled).toMatchObject({ state: 'waiting', reason: 'OUTGOING_UNAVAILABLE' });
    await service.rows('UPDATE drafts SET send_due = now() WHERE id = $1', [late.id]);
    expect(await gone(late.id)).toBeUndefined();
  });

  it('are open while nobody knows, and are neither held back, changed nor sent again', async () => {
    server.reset(first(1, 'dot', 'drop'));
    const { id } = await sending.createDraft(mailbox);
    expect(await sending.send(mailbox, id)).toMatchObject({ problem: 'SEND_OUTCOME_UNKNOWN' });
    const open = { state: 'sending', reason: 'SEND_OUTCOME_UNKNOWN' };
    const [draft] = (await sending.list(mailbox)).filter((one) => one.id === id);
    expect(draft?.scheduled).toMatchObject(open);
    expect(await sending.unsend(mailbox, id)).toMatchObject({ problem: 'DRAFT_SENDING' });
    expect(
      await service.call(
        drafts.remove,
        { id, mailbox: mailbox.address },
        { caller: mailbox.caller },
      ),
    ).toMatchObject({ problem: 'DRAFT_SENDING' });
    expect(await sending.send(mailbox, id)).toMatchObject({
      problem: 'SEND_DUPLICATE',
      body: { fields: { outcomeUnknown: true } },
    });
    sending.permission.sendOpen = false;
    await service.rows(`UPDATE drafts SET send_due = now() WHERE id = $1`, [id]);
    await until(async () => {
      const sql =
        'SELECT send_due > now() AND send_due < now() + interval $$20 s$$ AS seen FROM drafts';
      return (
        (await service.rows<{ seen: boolean }>(`${sql} WHERE id = $1`, [id]))[0]?.seen ?? false
      );
    });
    sending.permission.sendOpen = true;
    const [later] = (await sending.list(mailbox)).filter((one) => one.id === id);
    expect(later?.scheduled).toMatchObject(open);
    expect(server.moments.filter(({ stage }) => stage === 'mail')).toHaveLength(1);
  });
});
