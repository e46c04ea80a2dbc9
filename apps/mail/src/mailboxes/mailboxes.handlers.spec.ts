import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  mailboxes,
  newId,
  type CreateMailbox,
  type Mailbox,
  type MailboxAnswer,
  type MailboxList,
  type MailServerAccess,
  type MemberAccess,
  type UpdateMailbox,
} from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { MailService, type Answer } from '../testing/mail-service.js';

let service: MailService;

beforeAll(async () => {
  service = await MailService.start();
});

afterAll(() => service.close());

const newAddress = (): string => `${newId('mbx').toLowerCase()}@acme.test`;
const server: MailServerAccess = {
  host: 'smtp.acme.test',
  port: 465,
  secure: true,
  user: 'ada',
  password: 'a password',
};
const { password: _secret, ...shownServer } = server;

/** In `acme.test`, the domain of no workspace, with a server of its own. */
const create = (
  given: Partial<CreateMailbox> = {},
  caller = anAdmin(),
): Promise<Answer<MailboxAnswer>> => {
  const access = 'workspace' as const;
  const required = { address: newAddress(), automation: true, access, outgoing: server };
  return service.call(mailboxes.create, { ...required, ...given }, { caller });
};

const update = (input: UpdateMailbox, caller = anAdmin()): Promise<Answer<MailboxAnswer>> =>
  service.call(mailboxes.update, input, { caller });

const list = async (caller = anAdmin()): Promise<Mailbox[]> =>
  (await service.call<MailboxList>(mailboxes.list, {}, { caller })).body.items;

const kept = async (id: string): Promise<string> => {
  const { rows } = await service.admin.query('SELECT * FROM mailboxes WHERE id = $1', [id]);
  return JSON.stringify(rows);
};

describe('mailboxes.create', () => {
  it('answers the mailbox, named by its address when no name is given', async () => {
    const address = newAddress();
    const { status, body } = await create({ address });
    expect(status).toBe(201);
    expect(body.mailbox).toEqual({
      id: expect.stringMatching(/^mbx_/),
      address,
      name: address,
      automation: true,
      access: 'workspace',
      outgoing: shownServer,
      imap: null,
      account: null,
      dkim: null,
      retentionDays: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: body.mailbox.createdAt,
      version: 1,
    } satisfies Record<keyof Mailbox, unknown>);
  });

  it('keeps secrets sealed and never shows them', async () => {
    const caller = anAdmin();
    const dkim = { selector: 'mail', privateKey: 'a private key' };
    const { body, text } = await create(
      { outgoing: server, imap: { ...server, port: 993 }, dkim },
      caller,
    );
    expect(body.mailbox).toMatchObject({
      outgoing: shownServer,
      imap: { ...shownServer, port: 993 },
      dkim: { selector: 'mail' },
    });
    const everything = [text, JSON.stringify(await list(caller)), await kept(body.mailbox.id)];
    expect(everything.join()).not.toMatch(/a password|a private key/);
    expect(everything[2]).toMatch(/"sealedPassword":"test\./);
  });

  it.each(['s; d=evil.test', 's.', '-s', 'é', 'a b'])(
    'refuses the selector %j',
    async (selector) => {
      const { status, body } = await create({ dkim: { selector, privateKey: 'a private key' } });
      expect(status).toBe(400);
      expect(body).toMatchObject({ violations: [{ field: 'dkim.selector' }] });
    },
  );

  it('emits nothing, and names the mailbox in the audit record', async () => {
    const caller = anAdmin();
    const { body } = await create({}, caller);
    expect(await service.events(caller)).toEqual([]);
    const entry = { action: 'mailboxes.create', subjectId: body.mailbox.id };
    expect(await service.audit(caller)).toMatchObject([{ ...entry, actorId: caller.memberId }]);
  });

  it('answers MAILBOX_EXISTS for an address that is taken, in whatever workspace', async () => {
    const caller = anAdmin();
    const { body } = await create({}, caller);
    const { address } = body.mailbox;
    for (const other of [caller, anAdmin()]) {
      const answer = await create({ address }, other);
      expect(answer).toMatchObject({ status: 409, problem: 'MAILBOX_EXISTS' });
    }
    expect(await list(caller)).toHaveLength(1);
  });

  it('keeps the sub-addresses of a mailbox from another workspace, and the reverse', async () => {
    const ours = anAdmin();
    const local = newId('mbx').toLowerCase();
    await create({ address: `${local}@acme.test` }, ours);
    await create({ address: `${local}.b+x@acme.test` }, ours);
    for (const address of [`${local}+billing@acme.test`, `${local}.b@acme.test`]) {
      expect((await create({ address }, anAdmin())).problem).toBe('MAILBOX_EXISTS');
      expect((await create({ address }, ours)).status).toBe(201);
    }
  });

  it('gives an address or its sub-address to one of two workspaces that ask at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const local = newId('mbx').toLowerCase();
      const answers = await Promise.all(
        ['', '+a', '+b', '+c'].map((sub) => create({ address: `${local}${sub}@acme.test` })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    }
  });

  it('answers MAILBOX_EXISTS for another spelling of a domain that is taken', async () => {
    const local = newId('mbx').toLowerCase();
    await create({ address: `${local}@bücher.test` });
    const answer = await create({ address: `${local}@xn--bcher-kva.test` });
    expect(answer.problem).toBe('MAILBOX_EXISTS');
  });
});

describe('mailboxes.list', () => {
  it('shows the mailboxes of the workspace alone, by address', async () => {
    const caller = anAdmin();
    for (const address of ['b', 'a']) {
      await create({ address: `${address}-${newAddress()}` }, caller);
    }
    await create();
    const addresses = (await list(caller)).map(({ address }) => address.slice(0, 2));
    expect(addresses).toEqual(['a-', 'b-']);
  });
});

describe('mailboxes.update', () => {
  it('changes what is given and keeps the rest', async () => {
    const caller = anAdmin();
    const { mailbox } = (await create({ outgoing: server }, caller)).body;
    const access = [newId('mbr')];
    const given = { id: mailbox.id, name: 'Support', automation: false, access };
    const { status, body } = await update(given, caller);
    expect(status).toBe(200);
    expect(body.mailbox).toEqual({
      ...mailbox,
      ...given,
      version: 2,
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect(await list(caller)).toEqual([body.mailbox]);
  });

  it('takes back the list that it shows, and drops who has been removed since', async () => {
    const caller = anAdmin();
    const { id } = (await create({}, caller)).body.mailbox;
    const [gone, here, fresh] = [newId('mbr'), newId('mbr'), newId('mbr')];
    await update({ id, access: [gone, here] }, caller);
    const write = (access: MemberAccess, absent: string[]): Promise<Answer<MailboxAnswer>> =>
      service.call(
        mailboxes.update,
        { id, access },
        { caller, unknownReferences: { access: absent } },
      );
    const refused = await write([gone, here, fresh], [gone, fresh]);
    expect([refused.status, refused.body]).toEqual([
      400,
      { violations: [{ field: 'access', fault: 'UNKNOWN_VALUE', message: expect.any(Object) }] },
    ]);
    const { body } = await write([gone, here, fresh], [gone]);
    expect(body.mailbox.access).toEqual([here, fresh]);
    expect((await write([gone], [gone])).status).toBe(400);
  });

  it('clears what is null', async () => {
    const caller = anAdmin();
    const { id } = (await create({ outgoing: server, imap: { ...server, port: 993 } }, caller)).body
      .mailbox;
    const { body } = await update({ id, outgoing: null }, caller);
    expect(body.mailbox).toMatchObject({ outgoing: null, imap: { ...shownServer, port: 993 } });
  });

  it('keeps the password of a server that is given without one', async () => {
    const caller = anAdmin();
    const { id } = (await create({ outgoing: server }, caller)).body.mailbox;
    await update({ id, outgoing: { ...shownServer, port: 587 } }, caller);
    expect(await kept(id)).toMatch(/"port":587.*"sealedPassword":"test\./);
  });

  it('clears a password that is null', async () => {
    const caller = anAdmin();
    const { id } = (await create({ outgoing: server }, caller)).body.mailbox;
    await update({ id, outgoing: { ...shownServer, password: null } }, caller);
    expect(await kept(id)).toMatch(/"sealedPassword":null/);
  });

  it.each([{ host: 'elsewhere.test' }, { user: 'eve' }])(
    'never shows the password to another server or user: %j',
    async (change) => {
      const caller = anAdmin();
      const { id } = (await create({ outgoing: server }, caller)).body.mailbox;
      await update({ id, outgoing: { ...shownServer, ...change } }, caller);
      expect(await kept(id)).toMatch(/"sealedPassword":null/);
    },
  );

  it.each([
    ...[
      '10.0.0.1',
      '169.254.169.254',
      '::1',
      '[::ffff:a00:1]',
      '0x0a.1',
      '2852039166',
      'db.internal',
    ],
    ...['１０.0.0.1', 'user@10.0.0.1', 'fe80::1%eth0', 'metadata.google.internal', '0.0.0.0'],
  ])('refuses %s as a server, when it is made and when it is changed', async (host) => {
    const caller = anAdmin();
    const { id } = (await create({ outgoing: server }, caller)).body.mailbox;
    const answers = [
      await create({ outgoing: { ...server, host } }),
      await create({ imap: { ...server, host, port: 993 } }),
      await update({ id, outgoing: { ...server, host } }, caller),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(answers.map(({ text }) => /"field":"(\w+.host)"/.exec(text)?.[1])).toEqual([
      ...['outgoing.host', 'imap.host', 'outgoing.host'],
    ]);
    expect(await kept(id)).toMatch(/smtp\.acme\.test/);
  });

  it('refuses a public server on a port of something else', async () => {
    const answer = await create({ outgoing: { ...server, port: 6379 } });
    expect(answer).toMatchObject({ status: 400, problem: 'INVALID_REQUEST' });
  });

  it('answers MAILBOX_NOT_FOUND for one that is not there or of another workspace', async () => {
    const { id } = (await create()).body.mailbox;
    for (const stranger of [id, newId('mbx')]) {
      const answer = await update({ id: stranger, name: 'Mine' });
      expect(answer).toMatchObject({ status: 404, problem: 'MAILBOX_NOT_FOUND' });
    }
    expect(await kept(id)).not.toMatch('Mine');
  });
});
