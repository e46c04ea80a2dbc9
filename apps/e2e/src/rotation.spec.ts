// tags: own, cluster
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newEventKey } from '@postroom/access';
import { brokerMissing } from '@postroom/local';
import type { ApprovalRequest, AppName } from '@postroom/contracts';
import { Receiver, ScriptedSmtp, whereThere } from '@postroom/testing';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { Client } from 'pg';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { until } from '@postroom/testing/until';
import { approvalOf, decide, shownTo } from './approving.js';
import { Load, type LoadRequest } from './faults/load.js';
import { World } from './faults/world.js';
import { send, type Answer } from './http.js';
import { aMessage, newKey, senderFor } from './sending.js';
import { pageOf, recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const perSecond = 50;
const sendEveryMs = 1_000;
/** Time for what a change of keys might break before the next one. */
const quietMs = 1_000;

/** The secrets of `installation.json`, each `key`, or `old,new` while it is changed. */
interface Keys {
  readonly callerKeys: Readonly<Record<string, string>>;
  readonly eventKeys: Readonly<Record<string, string>>;
  readonly secretsKeys: string;
  readonly auditKey: string;
  readonly databasePasswords: Readonly<Record<string, string>>;
}

const random = (): string => randomBytes(32).toString('base64');
const mapped = (
  keys: Readonly<Record<string, string>>,
  to: (name: string, key: string) => string,
): Record<string, string> =>
  Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, to(name, key)]));

/**
 * All keys of a cluster are changed as docs/operating.md says, process by process, while it has fifty requests
 * a second.
 */
whereThere({ missing: brokerMissing() }, describe)('a cluster whose keys are changed', () => {
  let world: World;
  let place: Workplace;
  let address: string;
  let sender: OwnKey;
  let agent: OwnKey;
  let receiver: Receiver;
  let smtp: ScriptedSmtp;
  const unverified: unknown[] = [];
  let first: Keys;
  const password = `of-the-server-${randomUUID()}`;
  const began = new Date().toISOString();

  beforeAll(async () => {
    [receiver, smtp] = await Promise.all([Receiver.start(), ScriptedSmtp.listen()]);
    world = await World.open();
    place = await Workplace.open('acme', world.product);
    address = await place.mailbox();
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const { items } = recordOf(await place.settings.get('/mailboxes')) as {
      items: { id: string; address: string }[];
    };
    const id = items.find((one) => one.address === address)?.id ?? '';
    const server = {
      host: '127.0.0.1',
      port: smtp.port,
      secure: false,
      user: 'postroom',
      password,
    };
    const given = { outgoing: server, dkim: { selector: 'mail', privateKey: pem } };
    expect((await place.settings.patch(`/mailboxes/${id}`, given)).status).toBe(200);
    sender = await senderFor(place, address);
    agent = await place.keyFor(world.mailbox, {
      ...{ kind: 'agent', approval: 'required', member: place.tenant.member.email },
      scopes: ['read:conversations', 'write:conversations'],
    });
    const hook = { url: receiver.url(), events: ['conversation.commented'] };
    const made = recordOf(await place.settings.post('/webhooks', hook)) as { secret: string };
    const webhook = new StandardWebhook(made.secret);
    // As they come: what is older than five minutes is not verified any more.
    receiver.answer = ({ headers, body }, response) => {
      try {
        webhook.verify(body.toString(), headers as Record<string, string>);
      } catch (error) {
        unverified.push(error);
      }
      response.writeHead(204).end();
    };
    first = await keysNow();
  });

  afterAll(async () => {
    expect(await world.close()).toEqual([]);
    await Promise.all([receiver.close(), smtp.close()]);
  });

  const installationFile = (): string => join(dirname(world.demoFile), 'installation.json');
  const keysNow = async (): Promise<Keys> =>
    JSON.parse(await readFile(installationFile(), 'utf8')) as Keys;

  /** Writes keys, and has the processes of these services take them: one of each service, then the other. */
  const takeOver = async (
    change: (keys: Keys) => Partial<Keys>,
    isConcerned: (app: AppName) => boolean = () => true,
  ): Promise<void> => {
    const keys = await keysNow();
    const half = `${installationFile()}.spec`;
    await writeFile(half, JSON.stringify({ ...keys, ...change(keys) }), { mode: 0o600 });
    await rename(half, installationFile());
    for (const number of [1, 2]) {
      const next = world.instances.filter(
        ({ instance, service }) => instance.endsWith(`-${number}`) && isConcerned(service),
      );
      await Promise.all(next.map(({ instance }) => world.replace(instance, 'SIGTERM')));
    }
    await sleep(quietMs);
  };

  /** Sets the passwords of the database's roles, as `prepare` does in a deployment. */
  const setPasswords = async (passwords: Keys['databasePasswords']): Promise<void> => {
    const file = join(dirname(world.demoFile), 'database.json');
    const { adminUrl } = JSON.parse(await readFile(file, 'utf8')) as { adminUrl: string };
    const admin = new Client({ connectionString: adminUrl });
    await admin.connect();
    for (const [name, one] of Object.entries(passwords))
      await admin.query(`ALTER ROLE postroom_${name} PASSWORD ${admin.escapeLiteral(one)}`);
    await admin.end();
  };

  /** The base URL of a gateway that is not about to go. */
  const gateway = (): string => [...world.gateways().values()].at(0) ?? '';
  const ask = (method: string, path: string, key: OwnKey, body?: object): Promise<Answer> =>
    send(`${gateway()}${path}`, {
      method,
      headers: {
        'x-api-key': key.key,
        ...(body && { 'content-type': 'application/json', 'idempotency-key': newKey() }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });

  /** Sends a message and reads as a member now and then, beside the load. */
  const slowly = async (signal: AbortSignal): Promise<string[]> => {
    const refused: string[] = [];
    while (!signal.aborted) {
      const settings = gateway().replace(/public$/, 'settings/api');
      const answers = await Promise.all([
        ask('POST', '/v1/send', sender, aMessage(address)),
        send(`${settings}/mailboxes`, { headers: { cookie: place.settings.cookie } }),
      ]);
      for (const { status, text } of answers) if (status !== 200) refused.push(`${status} ${text}`);
      await sleep(sendEveryMs);
    }
    return refused;
  };

  const approved = async (): Promise<ApprovalRequest> => {
    const [id] = world.conversations;
    const path = `/v1/conversations/${id}/comment`;
    const filed = approvalOf(
      await agent.post(path, { mailbox: world.mailbox, text: 'Approved' }, randomUUID()),
    );
    await decide(place.settings, filed, 'approve');
    await until(async () => (await shownTo(place.settings, filed)).receipt !== null);
    return shownTo(place.settings, filed);
  };

  it('refuses no request, forgets the old ones, and verifies everything', async () => {
    const before = await approved();
    const { nextPageToken: pageToken } = pageOf(
      await world.api.get('/v1/conversations', { mailbox: world.mailbox, limit: 1 }),
    );
    const next = { mailbox: world.mailbox, limit: 1, pageToken: pageToken ?? '' };
    const load = new Load(world, perSecond);
    const ending = new AbortController();
    const besides = slowly(ending.signal);
    const beganMs = performance.now();

    const stores = (app: AppName): boolean => app !== 'mcp';
    const [k1, k2, a2] = [first.secretsKeys, `k2:${random()}`, random()];
    await takeOver(() => ({ secretsKeys: `${k1},${k2}` }), stores);
    await takeOver(() => ({ secretsKeys: `${k2},${k1}` }), stores);
    const resealed = await world.command('secrets', 'reseal');
    expect((await world.api.get('/v1/conversations', next)).status).toBe(200);
    await takeOver(() => ({ secretsKeys: k2 }), stores);

    const gateways = (app: AppName): boolean => app === 'gateway';
    await takeOver(({ auditKey }) => ({ auditKey: `${auditKey},${a2}` }), gateways);
    await takeOver(() => ({ auditKey: `${a2},${first.auditKey}` }), gateways);

    // The bus: callers and events at once.
    const callers = mapped(first.callerKeys, random);
    const events = mapped(first.eventKeys, newEventKey);
    await takeOver(() => ({
      callerKeys: mapped(callers, (name, key) => `${first.callerKeys[name]},${key}`),
      eventKeys: mapped(events, (name, key) => `${first.eventKeys[name]},${key}`),
    }));
    await takeOver(() => ({
      callerKeys: mapped(callers, (name, key) => `${key},${first.callerKeys[name]}`),
      eventKeys: mapped(events, (name, key) => `${key},${first.eventKeys[name]}`),
    }));
    await takeOver(() => ({ callerKeys: callers, eventKeys: events }));

    const passwords = mapped(first.databasePasswords, random);
    await takeOver(({ databasePasswords: old }) => ({
      databasePasswords: mapped(passwords, (name, one) => `${old[name]},${one}`),
    }));
    await setPasswords(passwords);
    // As processes that are restarted between two steps: what they try first is refused.
    await takeOver(() => ({}));
    await takeOver(() => ({ databasePasswords: passwords }));

    ending.abort();
    const asked = await load.stop();
    const refusedBeside = await besides;
    const seconds = (performance.now() - beganMs) / 1000;
    const latest = asked.reduce((most, one) => Math.max(most, one.endedMs - one.sentMs), 0);
    process.stderr.write(
      `keys changed: ${asked.length} requests in ${Math.round(seconds)} s, the longest ` +
        `${Math.round(latest)} ms, ${smtp.taken.length} sends\n`,
    );
    expect(refusals(asked)).toEqual([]);
    expect(refusedBeside).toEqual([]);
    expect(asked.length / seconds).toBeGreaterThan(0.9 * perSecond);

    expect(resealed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/no other key is needed/),
    });
    expect(resealed.stdout).toMatch(/^mail\.mailboxes\.outgoing: 1 of "k1" sealed anew\.$/m);
    const keys = JSON.stringify(await keysNow());
    const replaced = [first.callerKeys, first.eventKeys, first.databasePasswords];
    for (const old of [k1, ...replaced.flatMap((one) => Object.values(one))])
      expect(keys).not.toContain(old);

    // Mail by the old password and key, through processes that never had the old ring.
    expect((await ask('POST', '/v1/send', sender, aMessage(address))).status).toBe(200);
    expect(smtp.taken.at(-1)?.raw.toString()).toMatch(/^dkim-signature:[^]*?d=acme\.test/im);
    const signedIn = smtp.moments.filter(({ stage }) => stage === 'auth');
    expect(signedIn.length).toBeGreaterThan(2);
    const given = signedIn.map(
      ({ argument }) => Buffer.from(argument, 'base64').toString().split('\0')[2],
    );
    expect(new Set(given)).toEqual(new Set([password]));

    const after = await approved();
    const published = await send(`${gateway()}/.well-known/jwks.json`);
    const keySet = createLocalJWKSet(JSON.parse(published.text) as JSONWebKeySet);
    const kids = await Promise.all(
      [before, after].map(
        async ({ receipt }) => (await compactVerify(receipt ?? '', keySet)).protectedHeader.kid,
      ),
    );
    expect(new Set(kids).size).toBe(1);

    await until(async () => {
      const verdict = recordOf(await place.settings.get('/audit/verify'));
      return verdict['ok'] === true && verdict['unsealed'] === 0;
    });
    const verified = ['events', 'verify', '--name', 'acme', '--since', began];
    await until(async () => (await world.command(...verified)).code === 0, 120_000);

    const writes = asked.filter(({ write }) => write !== null).length;
    const told = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size;
    await until(() => told() >= writes, 120_000);
    expect(unverified).toEqual([]);
    expect((await world.command('doctor')).stdout).toMatch(
      /^ok +keys of the audit: all are there/m,
    );
  }, 1_200_000);
});

/** The number of requests that ended with another status than 200. */
const refusals = (asked: readonly LoadRequest[]): string[] =>
  asked
    .filter(({ outcome }) => outcome !== 200)
    .map(({ outcome, gateway, write }) => `${outcome} by ${gateway}${write ? ', a write' : ''}`);
