import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  attachments,
  drafts,
  newId,
  uploadSteps,
  type AttachedFile,
  type BegunUpload,
  type DraftAnswer,
  type UploadAnswer,
} from '@postroom/contracts';
import { aMember } from '@postroom/service-testing';
import type { MemberCaller } from '@postroom/access';
import { maintenanceJobs } from '../mail-app.js';
import { MailService, type MailboxOf } from '../testing/mail-service.js';
import { Database } from '@postroom/persistence';
import { runMaintenance } from '@postroom/operations';

describe('uploaded files', () => {
  let service: MailService;
  let mailbox: MailboxOf;
  let caller: MemberCaller;
  beforeAll(async () => {
    service = await MailService.start();
    mailbox = await service.mailbox();
    caller = aMember({ tenantId: mailbox.tenantId });
  });
  afterAll(() => service.close());

  const begin = ({ address } = mailbox, by = caller) =>
    service.call<BegunUpload>(
      uploadSteps.begin,
      { mailbox: address, filename: 'a.txt', declared: 'text/plain' },
      { caller: by },
    );
  const take = (id: string, start: number, text: string, by = caller) =>
    service.call(
      uploadSteps.take,
      { id, start, piece: Buffer.from(text).toString('base64') },
      { caller: by },
    );
  const upload = async (pieces: readonly string[] = ['Hello, ', 'world']) => {
    const { id } = (await begin()).body;
    let size = 0;
    for (const piece of pieces) {
      expect(await take(id, size, piece)).toMatchObject({ status: 200 });
      size += piece.length;
    }
    const ended = await service.call<UploadAnswer>(uploadSteps.end, { id, size }, { caller });
    expect(ended.status).toBe(201);
    return ended.body.upload;
  };
  const named = (...ids: string[]) =>
    ids.map((uploadId) => ({ uploadId })) as unknown as AttachedFile[];
  const save = (files: AttachedFile[], id?: string, box = mailbox) => {
    const input = { mailbox: box.address, draft: { attachments: files } };
    return id === undefined
      ? service.call<DraftAnswer>(drafts.create, input, { caller: box.caller })
      : service.call<DraftAnswer>(drafts.update, { id, ...input }, { caller: box.caller });
  };
  const usedBytes = async () => (await service.usage(caller)).storedBytes?.used ?? 0;

  it('are a draft’s once it names them, in its order, and can be downloaded', async () => {
    const one = await upload();
    const other = await upload(['x']);
    expect(one).toMatchObject({ filename: 'a.txt', size: 12, mimeType: 'text/plain' });
    const { body } = await save(named(other.id, one.id));
    const ids = () => body.draft.attachments.map(({ id }) => id);
    expect(ids()).toEqual([other.id, one.id]);
    const kept = await save(named(one.id), body.draft.id);
    expect(kept.body.draft).toMatchObject({ version: 2, attachments: [{ id: one.id, size: 12 }] });
    expect((await save(named(one.id), body.draft.id)).body.draft.version).toBe(2);
    const input = { id: one.id, mailbox: mailbox.address };
    const file = await service.call<string>(attachments.get, input, { caller }).catch(String);
    expect(JSON.stringify(file)).toContain('Hello, world');
    // A file that is named no more is gone.
    expect(await save(named(other.id), body.draft.id)).toMatchObject({
      problem: 'UPLOAD_NOT_FOUND',
    });
  });

  it('are of one mailbox and one draft, whole, and go on only where they were left', async () => {
    const mine = await upload();
    const elsewhere = await service.mailbox({ tenantId: mailbox.tenantId });
    expect(await save(named(mine.id), undefined, elsewhere)).toMatchObject({ status: 404 });
    await save(named(mine.id));
    for (const id of [mine.id, newId('att'), (await begin()).body.id])
      expect(await save(named(id))).toMatchObject({ problem: 'UPLOAD_NOT_FOUND' });
    const { id } = (await begin()).body;
    const stranger = aMember({ tenantId: mailbox.tenantId });
    expect(await take(id, 1, 'x')).toMatchObject({ problem: 'UPLOAD_NOT_FOUND' });
    expect(await take(id, 0, 'x', stranger)).toMatchObject({ problem: 'UPLOAD_NOT_FOUND' });
    const closed = await service.mailbox({ tenantId: mailbox.tenantId, access: [newId('mbr')] });
    expect(await begin(closed)).toMatchObject({ problem: 'MAILBOX_FORBIDDEN' });
  });

  it('are counted while they are there, and are gone when no draft has named them for a day', async () => {
    const before = await usedBytes();
    const forgotten = await upload(['x'.repeat(1000)]);
    const kept = await upload(['y'.repeat(500)]);
    await save(named(kept.id));
    expect(await usedBytes()).toBeGreaterThanOrEqual(before + 1500);
    await service.rows(`UPDATE draft_files SET created_at = now() - interval '25 hours'`);
    await runMaintenance(service.service.get(Database), maintenanceJobs);
    const left = await service.rows<{ id: string }>(
      'SELECT id FROM draft_files WHERE id = ANY ($1)',
      [[forgotten.id, kept.id]],
    );
    expect(left).toEqual([{ id: kept.id }]);
  });

  it('that a message has no room for are refused', async () => {
    const large = await upload(['x']);
    await service.rows('UPDATE draft_files SET size_bytes = 20000000 WHERE id = $1', [large.id]);
    expect(await save(named(large.id))).toMatchObject({ problem: 'ATTACHMENTS_TOO_LARGE' });
  });
});
