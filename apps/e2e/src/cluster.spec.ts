// tags: own, kafka, cluster
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { access, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { services } from '@postroom/contracts';
import { inFullRun, someOf } from '@postroom/testing/repetitions';
import { until } from '@postroom/testing/until';
import { send } from './http.js';
import { deliver } from './mail.js';
import { isListening } from './ports.js';
import { descendantsOf, isAlive } from './process-tree.js';
import { type Instance, type Product, readProduct } from './product.js';
import { ownBroker, ProductProcess } from './product-process.js';
import { SettingsApi } from './settings-api.js';
import { StoredRows } from './stored-rows.js';
import { commentOf, conversationOf, pageOf, recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

type Pid = number | undefined;

/** Names of the texts that occur in some file below a folder. */
async function onDisk(folder: string, texts: Readonly<Record<string, string>>): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.log'));
  const bytes = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name))),
  );
  return Object.keys(texts).filter((name) => bytes.some((one) => one.includes(texts[name] ?? '')));
}

describe('the product as a cluster', () => {
  let running: ProductProcess;
  let place: Workplace;
  let mailbox: string;
  let api: OwnKey;

  /** The current content of `demo.json`. */
  const instancesOf = async (service: Instance['service']): Promise<Instance[]> => {
    const { instances = [] } = await readProduct(running.demoFile);
    return instances.filter((one) => one.service === service);
  };

  const all = async (): Promise<readonly Instance[]> =>
    (await readProduct(running.demoFile)).instances ?? [];

  /** Process ids of its services and its broker. */
  const everything = async (): Promise<number[]> => [
    ...(await all()).map(({ pid }) => pid),
    ...(await descendantsOf(running.launched.pid ?? 0, 'java')),
  ];

  /** The product, accessed through its second processes. */
  const otherSide = async (): Promise<Product> => {
    const [[, gateway], [, mail]] = [await instancesOf('gateway'), await instancesOf('mail')];
    if (!gateway?.baseUrl || !mail?.smtp) throw new Error('There is one of each alone.');
    const settingsUrl = gateway.baseUrl.replace(/public$/, 'settings/api');
    return { ...running.product, baseUrl: gateway.baseUrl, settingsUrl, smtp: mail.smtp };
  };

  const isReady = async ({ healthUrl }: Instance): Promise<boolean> => {
    const answer = await send(`${healthUrl}/readyz`).catch(() => undefined);
    return answer?.status === 200;
  };

  beforeAll(async () => {
    running = await ProductProcess.prepare(ownBroker);
    await running.restart();
    place = await Workplace.open('acme', running.product);
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox);
  });

  afterAll(() => running.remove());

  it('tells of two processes of each service, each with probes and metrics', async () => {
    const told = await all();
    const apps = Object.values(services).map(({ app }) => app);
    expect(told.map(({ instance }) => instance)).toEqual(
      apps.flatMap((app) => [`${app}-1`, `${app}-2`]),
    );
    expect(new Set(told.map(({ pid }) => pid)).size).toBe(told.length);
    for (const { healthUrl, pid } of told) {
      expect(isAlive(pid)).toBe(true);
      for (const probe of ['healthz', 'readyz']) {
        expect((await send(`${healthUrl}/${probe}`)).status).toBe(200);
      }
      expect((await send(`${healthUrl}/metrics`)).text).toContain('process_cpu_seconds_total');
    }
    const [gateway] = await instancesOf('gateway');
    const [mail] = await instancesOf('mail');
    expect(gateway?.baseUrl).toBe(running.product.baseUrl);
    expect(mail?.smtp).toEqual(running.product.smtp);
  });

  it('is one workspace from every side', async () => {
    const other = await otherSide();
    const there = await Workplace.open('acme', other);
    const received = await place.receive(api, mailbox);
    const alsoReceived = await there.receive(there.with(api.key), mailbox);
    for (const product of [running.product, other]) {
      const side = await Workplace.open('acme', product);
      const { conversations } = pageOf(
        await side.with(api.key).get('/v1/conversations', { mailbox }),
      );
      const ids = conversations.map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining([received.id, alsoReceived.id]));
    }
  });

  it('answers a repeated write the same on the other side, and does it once', async () => {
    const { id } = await place.receive(api, mailbox);
    const there = (await Workplace.open('acme', await otherSide())).with(api.key);
    const [path, body, key] = [`/v1/conversations/${id}`, { mailbox, text: 'Once' }, randomUUID()];
    const answers = await Promise.all(
      [api, there, api, there].map((side) => side.post(`${path}/comment`, body, key)),
    );
    const ids = new Set(answers.map((answer) => commentOf(answer).id));
    expect(ids.size).toBe(1);
    expect(conversationOf(await api.get(path, { mailbox })).comments).toHaveLength(1);
  });

  it('keeps a session signed in on the other side', async () => {
    const session = await SettingsApi.signIn(running.product, place.tenant.member);
    const cookie = session.cookie;
    const there = `${(await otherSide()).settingsUrl}/session`;
    expect(recordOf(await send(there, { headers: { cookie } }))).toMatchObject({
      member: { email: place.tenant.member.email },
    });
  });

  const parts: readonly [string, () => Promise<Pid>][] = [
    ['a mail service', async () => (await instancesOf('mail'))[0]?.pid],
    ['the broker', () => Promise.resolve(undefined)],
    ['a gateway that nobody asks', async () => (await instancesOf('gateway'))[1]?.pid],
  ];

  describe.each(someOf(parts, 1))('when %s is killed while it works', (_name, pidOf) => {
    /** Comments of several clients, each repeated until it is answered. */
    const work = async (id: string, texts: readonly string[]): Promise<Set<number>> => {
      const seen = new Set<number>();
      const comment = async (text: string): Promise<void> => {
        for (;;) {
          const path = `/v1/conversations/${id}/comment`;
          const { status } = await api.post(path, { mailbox, text }, text);
          seen.add(status);
          if (status === 200) return;
          await sleep(100);
        }
      };
      const queue = [...texts];
      const client = async (): Promise<void> => {
        for (let text = queue.shift(); text !== undefined; text = queue.shift())
          await comment(text);
      };
      await Promise.all(Array.from({ length: 8 }, client));
      return seen;
    };

    it('does everything once, and starts it again', async () => {
      const before = await everything();
      const { id } = await place.receive(api, mailbox);
      const texts = Array.from({ length: 300 }, () => randomUUID());
      const working = work(id, texts);
      await sleep(300);
      const pid = await pidOf();
      if (pid === undefined) await running.kill('broker');
      else process.kill(pid, 'SIGKILL');
      const seen = await working;
      expect([...seen].filter((status) => ![200, 409, 503].includes(status))).toEqual([]);
      const { comments } = conversationOf(await api.get(`/v1/conversations/${id}`, { mailbox }));
      expect(comments.map(({ text }) => text).toSorted()).toEqual(texts.toSorted());

      await until(async () => (await Promise.all((await all()).map(isReady))).every(Boolean));
      const after = await everything();
      expect(before.filter((one) => !after.includes(one))).toHaveLength(1);
      expect(after).toHaveLength(before.length);
      expect(after.every(isAlive)).toBe(true);
    });
  });

  it('shows no password, session or key to whoever reads the broker’s disk', async () => {
    const mailPassword = `of-the-server-${randomUUID()}`;
    const memberPassword = `of-a-member-${randomUUID()}`;
    const { settings } = place;
    const outgoing = {
      host: 'smtp.test',
      port: 465,
      secure: true,
      user: 'u',
      password: mailPassword,
    };
    const box = JSON.parse((await settings.get('/mailboxes')).text) as { items: { id: string }[] };
    const [{ id } = { id: '' }] = box.items;
    expect((await settings.patch(`/mailboxes/${id}`, { outgoing })).status).toBe(200);
    expect((await settings.patch(`/mailboxes/${id}`, { outgoing: null })).status).toBe(200);
    const person = { email: `${randomUUID()}@acme.test`, password: memberPassword };
    expect((await settings.post('/members', { ...person, name: 'Robin' })).status).toBe(201);
    const { cookie } = await SettingsApi.signIn(running.product, person);
    const wishes = { name: 'K', kind: 'human', scopes: ['read:analytics'] };
    const { secret: key } = JSON.parse((await settings.post('/keys', wishes)).text) as {
      secret: string;
    };
    const text = `in clear ${randomUUID()}`;
    const conversation = await place.receive(api, mailbox);
    const path = `/v1/conversations/${conversation.id}/comment`;
    expect((await api.post(path, { mailbox, text }, randomUUID())).status).toBe(200);
    const found = await onDisk(join(dirname(running.demoFile), 'kafka', 'data'), {
      text,
      mailPassword,
      memberPassword,
      session: cookie.split('=')[1] ?? '?',
      key,
    });
    // Finding what is no secret proves that the search looked in the right place.
    expect(found).toEqual(['text']);
  });

  it('receives mail while a mail service is away, through the other', async () => {
    const [first] = await instancesOf('mail');
    process.kill(first?.pid ?? 0, 'SIGKILL');
    const subject = randomUUID();
    await deliver(await otherSide(), { to: mailbox, subject });
    await until(async () => {
      const listed = await api.get('/v1/conversations', { mailbox, limit: 100 });
      return listed.status === 200 && listed.text.includes(subject);
    });
    await until(async () =>
      (await Promise.all((await instancesOf('mail')).map(isReady))).every(Boolean),
    );
  });

  inFullRun(it)(
    'fills a broker that lost everything from its databases, and has nothing happen twice',
    async () => {
      const since = new Date().toISOString();
      const { id } = await place.receive(api, mailbox);
      const comment = async (): Promise<string> => {
        const text = randomUUID();
        const path = `/v1/conversations/${id}/comment`;
        expect((await api.post(path, { mailbox, text }, text)).status).toBe(200);
        return text;
      };
      const timesInFeed = async (text: string): Promise<number> =>
        (await api.get('/v1/events', { types: 'comment.added', limit: 500 })).text.split(
          `"text":"${text}"`,
        ).length - 1;
      const known = await comment();
      // A mail service that was killed before may have leased the event's shard, for 30 s.
      await until(async () => (await timesInFeed(known)) === 1);

      // Published, and not yet consumed when the broker's disk is lost.
      for (const { pid } of await instancesOf('webhook-dispatcher')) process.kill(pid, 'SIGSTOP');
      const lost = await comment();
      const stored = await StoredRows.of(running.demoFile);
      await until(async () => stored.hasPublished('mail', lost));
      await stored.close();
      await running.kill('everything');
      await rm(join(dirname(running.demoFile), 'kafka', 'data'), { recursive: true });
      await running.restart();
      expect([await timesInFeed(known), await timesInFeed(lost)]).toEqual([1, 0]);

      const replay = await running.command('outbox', 'replay', '--since', since);
      expect(replay).toMatchObject({ code: 0, stdout: expect.stringMatching(/^mail: [1-9]/m) });
      await until(async () => (await timesInFeed(lost)) === 1);
      const verified = await running.command(
        'events',
        'verify',
        '--name',
        'acme',
        '--since',
        since,
      );
      expect(verified.code).toBe(0);
      expect([await timesInFeed(known), await timesInFeed(lost)]).toEqual([1, 1]);
      const audit = await place.settings.get('/audit/verify');
      expect(recordOf(audit)).toMatchObject({ ok: true });
    },
  );

  it('leaves no service and no broker when the process that keeps it is killed', async () => {
    const pids = await everything();
    const keeper = running.launched;
    keeper.kill('SIGKILL');
    await once(keeper, 'exit');
    await until(() => !pids.some(isAlive));
  });

  inFullRun(it)('starts again after that', async () => {
    await running.restart();
    expect(await running.stop()).toEqual({ code: 0, signal: null, leftovers: [] });
  });
});

// In process: apps/postroom/src/main.spec.ts.
inFullRun(describe)('a cluster that is cut off', () => {
  const existsKafka = ({ demoFile }: ProductProcess): Promise<boolean> =>
    access(join(dirname(demoFile), 'kafka')).then(
      () => true,
      () => false,
    );

  let running: ProductProcess;

  beforeEach(async () => {
    running = await ProductProcess.prepare(ownBroker);
  });
  afterEach(() => running.remove());

  it.each([
    ['while its database and its broker are made', existsKafka],
    ['while its services start', (one: ProductProcess) => isListening(one.ports.smtp)],
  ])('%s ends with 0 and leaves nothing', async (_when, moment) => {
    running.launch();
    await until(() => moment(running));
    expect(await running.stop()).toEqual({ code: 0, signal: null, leftovers: [] });
  });
});
