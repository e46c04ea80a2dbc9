import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  attachments,
  drafts,
  newId,
  signatureSettings,
  type CreateDraft,
  type Draft,
  type DraftAnswer,
  type DraftPage,
  type SignatureAnswer,
} from '@postroom/contracts';
import { aKey, anAdmin } from '@postroom/service-testing';
import { MailService, type MailboxOf } from '../testing/mail-service.js';

const file = { contentBase64: 'SGk=', filename: 'hi.txt', mimeType: 'text/plain' };

describe('drafts', () => {
  let service: MailService;
  beforeAll(async () => {
    service = await MailService.start();
  });
  afterAll(() => service.close());

  const tryCreate = (
    { address, caller }: MailboxOf,
    draft: CreateDraft['draft'] = {},
    options = {},
  ) =>
    service.call<DraftAnswer>(drafts.create, { mailbox: address, draft }, { caller, ...options });
  const create = async (mailbox: MailboxOf, draft: CreateDraft['draft'] = {}): Promise<Draft> => {
    const answer = await tryCreate(mailbox, draft);
    expect(answer.problem).toBeNull();
    return answer.body.draft;
  };
  const list = async ({ address, caller }: MailboxOf): Promise<readonly Draft[]> => {
    const input = { mailbox: address, limit: 100 };
    return (await service.call<DraftPage>(drafts.list, input, { caller })).body.drafts;
  };

  it('previewed leave nothing behind', async () => {
    const mailbox = await service.mailbox();
    const { id: threadId } = await service.conversation(mailbox);
    const preview = await tryCreate(mailbox, { threadId, attachments: [file] }, { preview: true });
    expect(preview.body).toMatchObject({
      target: null,
      within: { type: 'mailbox', id: mailbox.address },
      difference: { before: null, after: { threadId, attachments: [{ size: 2 }] } },
    });
    expect(await list(mailbox)).toEqual([]);
    const [conversation] = await service.list(mailbox);
    expect(conversation).toMatchObject({ draftCount: 0 });
    for (const table of ['drafts', 'draft_files'])
      expect(await service.count(table, mailbox)).toBe(0);
    const refused = await tryCreate(mailbox, { threadId: newId('cnv') }, { preview: true });
    expect(refused.problem).toBe('CONVERSATION_NOT_FOUND');
  });

  it('say who began them, and where', async () => {
    const mailbox = await service.mailbox();
    const { tenantId } = mailbox;
    const member = anAdmin({ tenantId });
    const assistant = aKey({ tenantId, source: 'mcp' });
    const begun = async (caller: MailboxOf['caller'] | typeof member) => {
      const { createdBy, source } = (await tryCreate(mailbox, {}, { caller })).body.draft;
      return { createdBy, source };
    };
    expect(await begun(member)).toEqual({
      createdBy: { type: 'member', id: member.memberId },
      source: 'app',
    });
    expect(await begun(assistant)).toEqual({
      createdBy: { type: 'key', id: assistant.keyId },
      source: 'mcp',
    });
  });

  it('outlive their signature', async () => {
    const mailbox = await service.mailbox();
    const caller = anAdmin({ tenantId: mailbox.tenantId });
    const given = { name: 'Us', html: '<p>Us</p>', isDefault: false };
    const made = await service.call<SignatureAnswer>(signatureSettings.create, given, { caller });
    const { id: signatureId } = made.body.signature;
    const draft = await create(mailbox, { signatureId });
    expect(draft.signatureId).toBe(signatureId);
    await service.call(signatureSettings.remove, { id: signatureId }, { caller });
    expect(await list(mailbox)).toMatchObject([{ id: draft.id, signatureId: null }]);
  });

  it('of another workspace do not exist, nor do their files', async () => {
    const mailbox = await service.mailbox();
    const stranger = await service.mailbox();
    const { id, attachments: files } = await create(mailbox, { attachments: [file] });
    const { caller } = stranger;
    for (const address of [mailbox.address, stranger.address]) {
      const named = { id, mailbox: address };
      const asked = [
        await service.call(drafts.update, { ...named, draft: {} }, { caller }),
        await service.call(drafts.remove, named, { caller }),
        await service.call(
          attachments.get,
          { id: files[0]?.id ?? '', mailbox: address },
          { caller },
        ),
      ];
      expect(asked.map(({ problem }) => problem)).toEqual([
        ...['DRAFT_NOT_FOUND', 'DRAFT_NOT_FOUND', 'ATTACHMENT_NOT_FOUND'],
      ]);
    }
    const theirs = await service.call(drafts.create, { mailbox: mailbox.address }, { caller });
    expect(theirs.problem).toBe('MAILBOX_NOT_FOUND');
    expect(await list(mailbox)).toMatchObject([{ id, version: 1 }]);
  });

  it('tell no one, and are in the audit', async () => {
    const mailbox = await service.mailbox();
    const { id } = await create(mailbox);
    const { caller, address } = mailbox;
    await service.call(drafts.update, { id, mailbox: address, draft: {} }, { caller });
    await service.call(drafts.remove, { id, mailbox: address }, { caller });
    expect(await service.events(mailbox)).toEqual([]);
    const audited = (await service.audit(mailbox)).filter(({ subjectId }) => subjectId === id);
    expect(audited.map(({ action }) => action).sort()).toEqual([
      ...['drafts.create', 'drafts.remove', 'drafts.update'],
    ]);
  });

  it('are moved between the same two conversations by many at once', async () => {
    const mailbox = await service.mailbox();
    const { caller, address } = mailbox;
    const [one, two] = [await service.conversation(mailbox), await service.conversation(mailbox)];
    const begun = await Promise.all(
      Array.from({ length: 6 }, (_, i) => create(mailbox, { threadId: i % 2 ? one.id : two.id })),
    );
    const moved = await Promise.all(
      begun.flatMap(({ id, threadId }) =>
        [one.id, two.id, threadId === one.id ? two.id : one.id].map((to) =>
          service.call(
            drafts.update,
            { id, mailbox: address, draft: { threadId: to } },
            { caller },
          ),
        ),
      ),
    );
    expect(moved.map(({ problem }) => problem)).toEqual(moved.map(() => null));
    const there = await list(mailbox);
    for (const { id, draftCount } of await service.list(mailbox)) {
      expect(draftCount).toBe(there.filter(({ threadId }) => threadId === id).length);
    }
  });
});
