import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller, MemberCaller } from '@postroom/access';
import {
  newId,
  signatures,
  signatureSettings,
  type CreateSignature,
  type Signature,
  type SignatureAnswer,
  type SignatureList,
  type SignaturePage,
} from '@postroom/contracts';
import { aKey, anAdmin } from '@postroom/service-testing';
import { MailService } from '../testing/mail-service.js';

describe('signatures', () => {
  let service: MailService;
  beforeAll(async () => {
    service = await MailService.start();
  });
  afterAll(() => service.close());

  const aMember = (tenantId = newId('ten')): MemberCaller => anAdmin({ tenantId, role: 'member' });

  const boxOf = async (
    { tenantId }: Caller,
    access: 'workspace' | string[] = 'workspace',
  ): Promise<string> => {
    return (await service.mailbox({ tenantId, access })).address;
  };

  const tryCreate = (caller: Caller, given: Partial<CreateSignature> = {}) => {
    const input = { name: 'Support', html: '<p>The <b>team</b></p>', isDefault: false, ...given };
    return service.call<SignatureAnswer>(signatureSettings.create, input, { caller });
  };
  const create = async (caller: Caller, given: Partial<CreateSignature> = {}) => {
    const answer = await tryCreate(caller, given);
    expect(answer.status).toBe(201);
    return answer.body.signature;
  };
  const update = (caller: Caller, id: string, given: object) =>
    service.call<SignatureAnswer>(signatureSettings.update, { id, ...given }, { caller });
  const remove = (caller: Caller, id: string, ifMatch?: number) =>
    service.call(
      signatureSettings.remove,
      { id, ...(ifMatch !== undefined && { ifMatch }) },
      { caller },
    );
  const list = async (caller: Caller): Promise<Signature[]> =>
    (await service.call<SignaturePage>(signatureSettings.list, {}, { caller })).body.items;
  const listFor = async (caller: Caller): Promise<string[]> =>
    (await service.call<SignatureList>(signatures.list, {}, { caller })).body.signatures.map(
      ({ name }) => name,
    );

  it('are kept sanitised, with a plain reading of the HTML, for any mailbox unless one is named', async () => {
    const member = aMember();
    const html = '<p onclick="x()">The <b>team</b><script>alert(1)</script></p><p>Acme</p>';
    const signature = await create(member, { html });
    expect(signature).toEqual({
      id: expect.stringMatching(/^sig_/),
      name: 'Support',
      html: '<p>The <b>team</b></p><p>Acme</p>',
      text: 'The team\n\nAcme',
      mailbox: null,
      isDefault: false,
      updatedAt: expect.stringMatching(/Z$/),
      version: 1,
    });
    expect(await list(member)).toEqual([signature]);
  });

  it('keep a text that is given, until it is cleared', async () => {
    const member = aMember();
    const { id } = await create(member, { text: 'By hand' });
    const kept = await update(member, id, { html: '<p>New</p>' });
    expect(kept.body.signature).toMatchObject({ html: '<p>New</p>', text: 'By hand', version: 2 });
    const cleared = await update(member, id, { text: null });
    expect(cleared.body.signature).toMatchObject({ html: '<p>New</p>', text: 'New', version: 3 });
    const followed = await update(member, id, { html: '<p>Newer</p>' });
    expect(followed.body.signature).toMatchObject({ text: 'Newer' });
  });

  it('refuse HTML of which nothing is left, and name the field', async () => {
    const answer = await tryCreate(aMember(), { html: '<script>alert(1)</script>' });
    expect(answer).toMatchObject({
      status: 400,
      problem: 'INVALID_REQUEST',
      body: { violations: [{ field: 'html' }] },
    });
  });

  it('take hostile HTML within a moment', async () => {
    const member = aMember();
    for (const html of ['<b>'.repeat(16_000), '<'.repeat(50_000), '&'.repeat(50_000)]) {
      const { status } = await tryCreate(member, { html });
      expect([201, 400]).toContain(status);
    }
  });

  describe('for a mailbox', () => {
    it('are shown to a key that is granted it, those for any mailbox to every key', async () => {
      const admin = anAdmin();
      const [support, sales] = [await boxOf(admin), await boxOf(admin)];
      await create(admin, { name: 'b any' });
      await create(admin, { name: 'A support', mailbox: support });
      await create(admin, { name: 'c sales', mailbox: sales });
      const { tenantId } = admin;
      const key = (grants: Record<string, 'read' | 'write'>) => aKey({ tenantId, grants });
      expect(await listFor(key({ [support]: 'read' }))).toEqual(['A support', 'b any']);
      expect(await listFor(key({ [sales]: 'write', [support]: 'write' }))).toEqual([
        'A support',
        'b any',
        'c sales',
      ]);
      expect(await listFor(key({}))).toEqual(['b any']);
    });

    it('exist only for members that have it, and for administrators', async () => {
      const admin = anAdmin();
      const [ann, bob] = [aMember(admin.tenantId), aMember(admin.tenantId)];
      const mailbox = await boxOf(admin, [ann.memberId]);
      const { id } = await create(ann, { mailbox });
      expect((await list(ann)).map((one) => one.id)).toEqual([id]);
      expect((await list(admin)).map((one) => one.id)).toEqual([id]);
      expect(await list(bob)).toEqual([]);
      for (const answer of [await update(bob, id, { name: 'Mine' }), await remove(bob, id)]) {
        expect(answer).toMatchObject({ status: 404, problem: 'SIGNATURE_NOT_FOUND' });
      }
      const unknown = await tryCreate(bob, { mailbox: 'nobody@acme.test' });
      const hidden = await tryCreate(bob, { mailbox });
      expect(hidden).toMatchObject({ status: 400, body: { violations: [{ field: 'mailbox' }] } });
      expect(hidden.text).toBe(unknown.text);
      expect((await update(admin, id, { name: 'Ours' })).status).toBe(200);
    });

    it('move to another one, or to any, and lose nothing else', async () => {
      const admin = anAdmin();
      const [support, sales] = [await boxOf(admin), await boxOf(admin)];
      const made = await create(admin, { mailbox: support, isDefault: true });
      const moved = await update(admin, made.id, { mailbox: sales });
      const { updatedAt, version, ...rest } = made;
      expect(moved.body.signature).toMatchObject({ ...rest, mailbox: sales });
      const freed = await update(admin, made.id, { mailbox: null });
      expect(freed.body.signature).toMatchObject({ ...rest, mailbox: null });
      expect([updatedAt, version]).toEqual([expect.any(String), 1]);
    });
  });

  describe('the default', () => {
    const defaults = async (caller: Caller): Promise<string[]> =>
      (await list(caller)).filter((one) => one.isDefault).map(({ name }) => name);

    it('is one for each mailbox, and one for any', async () => {
      const admin = anAdmin();
      const mailbox = await boxOf(admin);
      await create(admin, { name: 'one', isDefault: true });
      await create(admin, { name: 'two', mailbox, isDefault: true });
      expect(await defaults(admin)).toEqual(['one', 'two']);
      const three = await create(admin, { name: 'three', mailbox, isDefault: true });
      expect(await defaults(admin)).toEqual(['one', 'three']);
      await update(admin, three.id, { isDefault: false });
      expect(await defaults(admin)).toEqual(['one']);
    });

    it('that stops being it has changed: its version says so', async () => {
      const admin = anAdmin();
      const one = await create(admin, { name: 'one', isDefault: true });
      const two = await create(admin, { name: 'two' });
      await update(admin, two.id, { isDefault: true });
      expect(await list(admin)).toMatchObject([
        { id: one.id, isDefault: false, version: 2 },
        { id: two.id, isDefault: true, version: 2 },
      ]);
    });

    it('of ten set at once is one', async () => {
      const admin = anAdmin();
      const made = await Promise.all(
        Array.from({ length: 10 }, (_, i) => tryCreate(admin, { name: `${i}`, isDefault: true })),
      );
      expect(made.map(({ status }) => status)).toEqual(Array(10).fill(201));
      expect(await defaults(admin)).toHaveLength(1);
    });
  });

  it('are changed and removed under the version that was read, and under no other', async () => {
    const member = aMember();
    const { id, version } = await create(member);
    expect((await update(member, id, { ifMatch: version, name: 'B' })).status).toBe(200);
    for (const answer of [
      await update(member, id, { ifMatch: version, name: 'C' }),
      await remove(member, id, version),
    ]) {
      expect(answer).toMatchObject({ status: 409, problem: 'VERSION_CONFLICT' });
    }
    expect(await list(member)).toMatchObject([{ name: 'B', version: 2 }]);
    expect((await remove(member, id, 2)).body).toEqual({ ok: true });
    expect(await list(member)).toEqual([]);
    expect(await remove(member, id)).toMatchObject({ status: 404 });
  });

  it('of another workspace do not exist', async () => {
    const { id } = await create(anAdmin());
    const stranger = anAdmin();
    const unknown = await update(stranger, newId('sig'), { name: 'Mine' });
    const theirs = await update(stranger, id, { name: 'Mine' });
    expect([theirs.status, theirs.text]).toEqual([404, unknown.text]);
    expect((await remove(stranger, id)).status).toBe(404);
    expect(await list(stranger)).toEqual([]);
    expect(await listFor(aKey({ tenantId: stranger.tenantId }))).toEqual([]);
  });

  it('are 200 a workspace at most', async () => {
    const admin = anAdmin();
    await create(admin);
    await service.admin.query(
      `INSERT INTO signatures SELECT tenant_id, id || n, mailbox_id, name, html, text, text_derived,
         is_default, updated_at, version
       FROM signatures, generate_series(1, 199) n WHERE tenant_id = $1`,
      [admin.tenantId],
    );
    expect(await tryCreate(admin)).toMatchObject({ status: 409, problem: 'TOO_MANY_SIGNATURES' });
    expect(await list(admin)).toHaveLength(200);
  });
});
