import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Caller } from '@postroom/access';
import {
  domainOwners,
  domains,
  domainsMax,
  mailboxes,
  newId,
  type Domain,
  type DomainAnswer,
  type DomainList,
  type MailboxAnswer,
} from '@postroom/contracts';
import { Database } from '@postroom/persistence';
import { aKey, anAdmin } from '@postroom/service-testing';
import { startNameServer, type NameServer } from '@postroom/testing';
import { MailConfig, giveDomain, takeDomainAway } from '../index.js';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';
import { Sendings } from '../testing/sending.js';
import { DomainProof, timeLimitMs } from './domains.handlers.js';

let service: MailService;
let names: NameServer;
let database: Database;
/** The answers of the name server, by name. */
const texts = new Map<string, readonly string[]>();

beforeAll(async () => {
  names = await startNameServer(
    () => null,
    (name) => texts.get(name) ?? null,
  );
  service = await MailService.start({ OUTBOUND_DNS_SERVERS: names.address });
  database = await Database.connect({
    url: service.database.urls.mail,
    schema: 'mail',
    entities: [],
  });
});

afterAll(async () => {
  await database.close();
  await service.close();
  names.close();
});

const newName = (): string => `${newId('dom').slice(4).toLowerCase()}.example`;

const add = (name: string, caller: Caller = anAdmin()): Promise<Answer<DomainAnswer>> =>
  service.call(domains.create, { name }, { caller });

const verify = ({ id }: Domain, caller: Caller): Promise<Answer<DomainAnswer>> =>
  service.call(domains.verify, { id }, { caller });

const list = async (caller: Caller): Promise<Domain[]> =>
  (await service.call<DomainList>(domains.list, {}, { caller })).body.items;

const publish = ({ record }: Domain): void =>
  void texts.set(record.name, ['v=something else', record.value]);

/** A domain that its workspace has proved. */
async function proved(name: string, caller: Caller): Promise<Domain> {
  const { domain } = (await add(name, caller)).body;
  publish(domain);
  const answer = await verify(domain, caller);
  expect(answer.problem).toBeNull();
  return answer.body.domain;
}

const newMailbox = (
  address: string,
  caller: Caller,
  own: object = {},
): Promise<Answer<MailboxAnswer>> => {
  const input = { address, automation: true, access: 'workspace' as const, ...own };
  return service.call(mailboxes.create, input, { caller });
};

const server = { host: '127.0.0.1', port: 2525, secure: false, user: null };

const boxOf = (answer: Answer<MailboxAnswer>, { tenantId }: Caller): MailboxOf => ({
  ...answer.body.mailbox,
  tenantId,
  caller: aKey({ tenantId }),
});

const replyOf = (error: { response?: string }): string => error.response ?? 'no reply';

describe('domains.create', () => {
  it('answers a pending domain with the record that proves it, spelt as the name system does', async () => {
    const caller = anAdmin();
    const { status, body } = await add(' Bücher.Example ', caller);
    expect(status).toBe(201);
    expect(body.domain).toEqual({
      id: expect.stringMatching(/^dom_/),
      name: 'xn--bcher-kva.example',
      state: 'pending',
      record: {
        type: 'TXT',
        name: '_postroom.xn--bcher-kva.example',
        value: expect.stringMatching(/^postroom-verification=[\w-]{32}$/),
      },
      verifiedAt: null,
      createdAt: expect.stringMatching(/Z$/),
      version: 1,
    } satisfies Record<keyof Domain, unknown>);
    expect(await list(caller)).toEqual([body.domain]);
    expect(await service.audit(caller)).toMatchObject([
      { action: 'domains.create', subjectId: body.domain.id },
    ]);
  });

  it('answers DOMAIN_EXISTS for one that the workspace has, in whatever spelling', async () => {
    const caller = anAdmin();
    await add('bücher.example', caller);
    expect(await add('XN--BCHER-KVA.example', caller)).toMatchObject({
      status: 409,
      problem: 'DOMAIN_EXISTS',
    });
  });

  it('lets two workspaces ask for a domain that nobody has proved, each with its own record', async () => {
    const name = newName();
    const [one, other] = [await add(name), await add(name)];
    expect([one.status, other.status]).toEqual([201, 201]);
    expect(one.body.domain.record.value).not.toBe(other.body.domain.record.value);
  });

  it('answers DOMAIN_TAKEN for one that another workspace has proved', async () => {
    const name = newName();
    await proved(name, anAdmin());
    expect(await add(name)).toMatchObject({ status: 409, problem: 'DOMAIN_TAKEN' });
  });

  it('answers TOO_MANY_DOMAINS beyond a hundred', async () => {
    const caller = anAdmin();
    await service.rows(
      `INSERT INTO domains (tenant_id, id, name, token, created_at)
       SELECT $1, 'dom_' || n, n || '.example', '', now() FROM generate_series(1, $2) n`,
      [caller.tenantId, domainsMax],
    );
    expect((await add(newName(), caller)).problem).toBe('TOO_MANY_DOMAINS');
  });
});

describe('domains.verify', () => {
  it('verifies a domain whose record is there, for good', async () => {
    const caller = anAdmin();
    const name = newName();
    const domain = await proved(name, caller);
    expect(domain).toMatchObject({ name, state: 'verified', version: 2 });
    texts.clear();
    expect((await verify(domain, caller)).body.domain).toEqual(domain);
    expect(await list(caller)).toEqual([domain]);
  });

  it('answers DOMAIN_RECORD_MISSING without its record, or with that of another workspace', async () => {
    const name = newName();
    const [ours, theirs] = [anAdmin(), anAdmin()];
    const { domain } = (await add(name, ours)).body;
    expect((await verify(domain, ours)).problem).toBe('DOMAIN_RECORD_MISSING');
    publish((await add(name, theirs)).body.domain);
    expect(await verify(domain, ours)).toMatchObject({
      status: 409,
      problem: 'DOMAIN_RECORD_MISSING',
    });
    expect(await list(ours)).toMatchObject([{ state: 'pending' }]);
  });

  it('answers DOMAIN_TAKEN once another workspace has proved it', async () => {
    const name = newName();
    const ours = anAdmin();
    const { domain } = (await add(name, ours)).body;
    await proved(name, anAdmin());
    publish(domain);
    expect(await verify(domain, ours)).toMatchObject({ status: 409, problem: 'DOMAIN_TAKEN' });
  });

  it('gives a domain to one of two workspaces that prove it at once', async () => {
    const name = newName();
    const callers = [anAdmin(), anAdmin()];
    const added = await Promise.all(callers.map((caller) => add(name, caller)));
    const all = added.map(({ body }) => body.domain);
    const [record] = all.map(({ record: { name: where } }) => where);
    texts.set(
      String(record),
      all.map(({ record: { value } }) => value),
    );
    const answers = await Promise.all(
      all.map((domain, at) => verify(domain, callers[at] ?? anAdmin())),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('answers NAME_SERVERS_UNAVAILABLE within its time while they are silent', async () => {
    const silent = createSocket('udp4').bind(0, '127.0.0.1');
    await once(silent, 'listening');
    const outboundDnsServers = [`127.0.0.1:${silent.address().port}`];
    const proof = new DomainProof(Object.assign(new MailConfig(), { outboundDnsServers }));
    let datagrams = 0;
    silent.on('message', () => (datagrams += 1));
    const asked = proof.require({ name: newName(), token: 'x' });
    await expect(asked).rejects.toMatchObject({ code: 'NAME_SERVERS_UNAVAILABLE' });
    // It asks twice, and ends by itself before an operation's deadline of 10 s.
    expect(datagrams).toBe(2);
    expect(timeLimitMs).toBeLessThan(10_000);
    silent.close();
  });

  it('answers DOMAIN_NOT_FOUND for one of another workspace', async () => {
    const { domain } = (await add(newName())).body;
    expect((await verify(domain, anAdmin())).problem).toBe('DOMAIN_NOT_FOUND');
  });
});

describe('domains.remove', () => {
  it('frees the domain for another workspace, and keeps its own from the servers', async () => {
    const name = newName();
    const [ours, theirs] = [anAdmin(), anAdmin()];
    const { id } = await proved(name, ours);
    const address = `support@${name}`;
    await newMailbox(address, ours);
    const owner = async () =>
      (await service.call(domainOwners.get, { name }, { caller: theirs })).body;
    expect(await owner()).toEqual({ tenantId: ours.tenantId });
    const answer = await service.call(domains.remove, { id, force: true }, { caller: ours });
    expect(answer.body).toEqual({ ok: true });
    expect(await list(ours)).toEqual([]);
    expect(await owner()).toEqual({ tenantId: null });
    expect(await service.send({ to: address }).catch(replyOf)).toMatch(/^550 5\.7\.1 /);
    await proved(name, theirs);
    expect((await newMailbox(address, theirs)).status).toBe(201);
  });

  it('refuses one that mailboxes depend on, and says how many', async () => {
    const caller = anAdmin();
    const name = newName();
    const { id } = await proved(name, caller);
    const remove = () => service.call(domains.remove, { id, force: false }, { caller });
    const removed = async (address: string, own: object = {}) => {
      const { body } = await newMailbox(address, caller, own);
      return () => service.call(mailboxes.remove, { id: body.mailbox.id }, { caller });
    };
    await removed(`own@${name}`, { outgoing: server });
    const first = await removed(`support@${name}`);
    const second = await removed(`Sales@${name}`);
    await first();
    const refused = await remove();
    expect(refused).toMatchObject({ status: 409, problem: 'DOMAIN_IN_USE' });
    expect(refused.body).toMatchObject({
      violations: [{ field: '', message: { en: 'Mailboxes that would stop: 1' } }],
    });
    expect(await list(caller)).toHaveLength(1);
    await second();
    expect((await remove()).status).toBe(200);
  });

  it('refuses another version, and answers DOMAIN_NOT_FOUND for one of another workspace', async () => {
    const caller = anAdmin();
    const { id } = (await add(newName(), caller)).body.domain;
    const remove = async (by: Caller, ifMatch?: number): Promise<string | null> => {
      const input = { id, force: false, ...(ifMatch !== undefined && { ifMatch }) };
      return (await service.call(domains.remove, input, { caller: by })).problem;
    };
    expect(await remove(anAdmin())).toBe('DOMAIN_NOT_FOUND');
    expect(await remove(caller, 7)).toBe('VERSION_CONFLICT');
    expect(await list(caller)).toHaveLength(1);
  });
});

describe('a mailbox', () => {
  it('of a domain that is not verified needs an account of its own', async () => {
    const caller = anAdmin();
    const name = newName();
    await add(name, caller);
    const refused = await newMailbox(`support@${name}`, caller);
    expect(refused).toMatchObject({ status: 409, problem: 'DOMAIN_NOT_VERIFIED' });
    const made = await newMailbox(`support@${name}`, caller, { outgoing: server });
    expect(made.status).toBe(201);
    const { id } = made.body.mailbox;
    const change = (input: object): Promise<Answer> =>
      service.call(mailboxes.update, { id, ...input }, { caller });
    expect((await change({ outgoing: null })).problem).toBe('DOMAIN_NOT_VERIFIED');
    const imap = { ...server, port: 993 };
    expect((await change({ outgoing: null, imap })).status).toBe(200);
    expect((await change({ imap: null })).problem).toBe('DOMAIN_NOT_VERIFIED');
    expect((await change({ name: 'Support' })).status).toBe(200);
  });

  it('of a domain that another workspace has proved is DOMAIN_TAKEN, whatever its account', async () => {
    const name = newName();
    await proved(name, anAdmin());
    for (const own of [{}, { outgoing: server }]) {
      const answer = await newMailbox(`support@${name}`, anAdmin(), own);
      expect(answer).toMatchObject({ status: 409, problem: 'DOMAIN_TAKEN' });
    }
  });

  it('of a domain that is not verified takes no mail in, until it is', async () => {
    const caller = anAdmin();
    const name = newName();
    const address = `support@${name}`;
    const box = boxOf(await newMailbox(address, caller, { outgoing: server }), caller);
    expect(await service.send({ to: address }).catch(replyOf)).toMatch(/^550 5\.7\.1 /);
    await proved(name, caller);
    await service.send({ to: address });
    expect(await service.list(box)).toHaveLength(1);
  });

  it('of a domain that is not verified does not leave through the deployment’s server', async () => {
    const caller = anAdmin();
    const name = newName();
    const imap = { ...server, port: 993 };
    const box = boxOf(await newMailbox(`support@${name}`, caller, { imap }), caller);
    const sendings = new Sendings(service);
    expect(await sendings.create(box)).toMatchObject({
      status: 409,
      problem: 'DOMAIN_NOT_VERIFIED',
    });
    await proved(name, caller);
    // There is no server, which is found out only for what may leave.
    expect((await sendings.create(box)).problem).toBe('OUTGOING_UNAVAILABLE');
  });

  it('that squats an address keeps nobody from it who proves its domain, and gets none of its mail', async () => {
    const [squatter, owner] = [anAdmin(), anAdmin()];
    const name = newName();
    const address = `support@${name}`;
    const squat = boxOf(await newMailbox(address, squatter, { outgoing: server }), squatter);
    await proved(name, owner);
    const box = boxOf(await newMailbox(address, owner), owner);
    await service.send({ to: address });
    expect(await service.list(box)).toHaveLength(1);
    expect(await service.list(squat)).toEqual([]);
  });
});

describe('a domain that the operator gives', () => {
  it('is verified without a proof, once, and can be taken away', async () => {
    const caller = anAdmin();
    const name = newName();
    const { domain } = (await add(name, caller)).body;
    await giveDomain(database, caller.tenantId, name.toUpperCase());
    await giveDomain(database, caller.tenantId, name);
    expect(await list(caller)).toMatchObject([{ id: domain.id, state: 'verified' }]);
    await takeDomainAway(database, name);
    expect(await list(caller)).toEqual([]);
    const actions = (await service.audit(caller)).map(({ action }) => action);
    expect(actions.sort()).toEqual(['domains.create', 'domains.give', 'domains.take']);
    await expect(takeDomainAway(database, name)).rejects.toThrow(/No workspace has/);
  });

  it('is not one that another workspace has', async () => {
    const name = newName();
    await giveDomain(database, anAdmin().tenantId, name);
    await expect(giveDomain(database, anAdmin().tenantId, name)).rejects.toThrow(
      /another workspace/,
    );
    await expect(giveDomain(database, anAdmin().tenantId, 'no domain')).rejects.toThrow(
      /no domain/,
    );
  });
});
