import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@postroom/testing/until';
import { deadLetterTopic, eventTopic, replyTopic, requestTopic } from '../topics.js';
import type { Admin, Kafka, Producer } from 'kafkajs';
import type { RequestHandler } from '../bus.js';
import { encodeReply, encodeRequest } from '../bus-record.js';
import { encodeEvent, eventKey } from '../event-record.js';
import {
  dataOf,
  echo,
  eventOf,
  held,
  refusedFor,
  replyTo,
  requestOf,
} from '../testing/messages.js';
import { brokerForSpecs, Installation, noBroker, type SpecBroker } from '../testing/kafka-world.js';
import { inFullRun } from '@postroom/testing/repetitions';
import { whereThere } from '@postroom/testing';
import { kafkaClient } from './client.js';
import { KafkaBus } from './kafka-bus.js';
import { listDeadLetters, replayDeadLetters } from './dead-letter-replay.js';
import { createTopics } from './topics.js';

/** Sends requests in a send each: the records of one send share a partition. */
async function eachInASend<T>(count: number, ask: () => Promise<T>): Promise<Promise<T>[]> {
  const replies: Promise<T>[] = [];
  for (let i = 0; i < count; i += 1) {
    replies.push(ask());
    await sleep(5);
  }
  return replies;
}

whereThere({ missing: noBroker }, describe)('the bus on Kafka', () => {
  let broker: SpecBroker;
  let installation: Installation;
  let kafka: Kafka;
  let admin: Admin;

  beforeAll(async () => {
    broker = await brokerForSpecs();
    const { brokers } = broker;
    kafka = kafkaClient({ brokers, instance: 'spec', log: new Installation(brokers).log });
    admin = kafka.admin();
    await admin.connect();
  });
  afterAll(async () => {
    await admin.disconnect();
    await broker.stop();
  });
  beforeEach(async () => {
    installation = await new Installation(broker.brokers).create();
  });
  afterEach(() => installation.close());

  /** With a producer of its own: kafkajs fails every topic when one it has written is gone. */
  const write = async (
    topic: string,
    record: Parameters<Producer['send']>[0]['messages'][number],
  ): Promise<void> => {
    const producer = kafka.producer();
    await producer.connect();
    try {
      await producer.send({ topic, messages: [record] });
    } finally {
      await producer.disconnect();
    }
  };
  const requests = () => requestTopic('mail', installation.prefix);
  const deadLetters = (consumer: string) => listDeadLetters(installation, consumer);

  describe('a request', () => {
    it('that cannot be read is dead-lettered with its cause, and its neighbours are answered', async () => {
      const server = await installation.bus('server');
      const caller = await installation.bus('caller');
      await server.handle('mail', echo);
      await installation.ready();
      const { headers, value } = encodeRequest(requestOf());
      const replyHeader = { 'reply-to': replyTopic('caller', installation.prefix) };
      const poison = [
        { value: 'no headers at all' },
        { value: null, headers },
        { value, headers: { ...headers, ...replyHeader, version: '99' } },
        { value, headers: { ...headers, ...replyHeader, deadline: 'soon' } },
        { value, headers },
        { value, headers: { ...headers, 'reply-to': 'somebody.elses.topic' } },
        { value, headers: { ...headers, ...replyHeader, caller: ['a', 'b'] } },
      ];
      for (const record of poison) await write(requests(), record);
      const answers = Array.from({ length: 30 }, () => caller.request('mail', requestOf()));
      expect(await Promise.all(answers)).toHaveLength(30);
      await until(async () => (await deadLetters('mail')).length === poison.length);
      expect((await deadLetters('mail')).map(({ cause }) => cause).sort()).toEqual([
        'MalformedEnvelope: envelope version 99',
        'MalformedEnvelope: envelope version missing',
        'MalformedEnvelope: envelope with a bad deadline',
        'MalformedEnvelope: record with a bad header caller',
        'MalformedEnvelope: record without a value',
        'MalformedEnvelope: request without a reply topic of the bus',
        'MalformedEnvelope: request without a reply topic of the bus',
      ]);
    });

    it('whose deadline has passed is not handled', async () => {
      const server = await installation.bus('server');
      const caller = await installation.bus('caller');
      const seen: string[] = [];
      await server.handle('mail', (request) => {
        seen.push(request.id);
        return echo(request);
      });
      await installation.ready();
      const late = encodeRequest(requestOf({ orderKey: 'k', deadlineMs: Date.now() - 1 }));
      const headers = {
        ...late.headers,
        'reply-to': replyTopic('caller', installation.prefix),
      };
      await write(requests(), { key: 'k', value: late.value, headers });
      // It has the same key, hence waits behind it.
      const next = requestOf({ orderKey: 'k' });
      await caller.request('mail', next);
      expect(seen).toEqual([next.id]);
      expect(await deadLetters('mail')).toEqual([]);
    });

    it('of 5 MB is refused by its topic, whoever writes it', async () => {
      await expect(write(requests(), { value: Buffer.alloc(5_000_000) })).rejects.toMatchObject({
        type: 'MESSAGE_TOO_LARGE',
      });
    });

    it('that comes twice is answered twice, and the caller hears the first', async () => {
      const server = await installation.bus('server');
      const caller = await installation.bus('caller');
      const { handler, answers } = held();
      await server.handle('mail', handler);
      await installation.ready();
      const request = requestOf();
      const answering = caller.request('mail', request);
      const { headers, value } = encodeRequest(request);
      const replyHeader = { 'reply-to': replyTopic('caller', installation.prefix) };
      await write(requests(), { value, headers: { ...headers, ...replyHeader } });
      await until(() => answers.length === 2);
      for (const answer of answers) answer();
      expect((await answering).id).toBe(request.id);
      const next = caller.request('mail', requestOf());
      await until(() => answers.length === 3);
      answers[2]?.();
      await next;
    });

    it('that its instance leaves unanswered goes to the one that takes over', async () => {
      const stuck = await installation.bus('stuck');
      const caller = await installation.bus('caller');
      const { handler, answers } = held();
      await stuck.handle('mail', handler);
      await installation.ready();
      const deadlineMs = Date.now() + 70_000;
      const replies = Promise.allSettled(
        await eachInASend(12, () => caller.request('mail', requestOf({ deadlineMs }))),
      );
      await until(() => answers.length === 12);
      const heir = await installation.bus('heir');
      let inherited = 0;
      await heir.handle('mail', (request) => {
        inherited += 1;
        return echo(request);
      });
      await installation.ready();
      await until(() => inherited > 0);
      for (const answer of answers) answer();
      for (const each of await replies) expect(each).toMatchObject({ value: { status: 200 } });
    });

    it('that was answered is not asked of a replica that joins the moment after', async () => {
      const seen = { first: [] as string[], second: [] as string[] };
      const counted =
        (name: keyof typeof seen): RequestHandler =>
        (request) => {
          seen[name].push(request.id);
          return echo(request);
        };
      // No commit by the clock within this spec.
      const commitEveryMs = 3_600_000;
      const first = await installation.bus('first', { commitEveryMs });
      const caller = await installation.bus('caller');
      await first.handle('mail', counted('first'));
      await installation.ready();
      const ask = () =>
        Promise.all(Array.from({ length: 30 }, () => caller.request('mail', requestOf())));
      await ask();
      const answered = new Set(seen.first);
      const second = await installation.bus('second', { commitEveryMs });
      await second.handle('mail', counted('second'));
      await installation.ready();
      // The partitions that it got have nothing older to hand out than what it is asked now.
      await until(async () => {
        await ask();
        return seen.second.length > 0;
      });
      expect(seen.second.filter((id) => answered.has(id))).toEqual([]);
    });

    it('is answered by one of the replicas, which share them', async () => {
      const served = { a: 0, b: 0 };
      const caller = await installation.bus('caller');
      for (const name of ['a', 'b'] as const) {
        const server = await installation.bus(name);
        await server.handle('mail', async (request) => {
          served[name] += 1;
          return replyTo(request);
        });
        await installation.ready();
      }
      await Promise.all(await eachInASend(60, () => caller.request('mail', requestOf())));
      expect(served.a).toBeGreaterThan(0);
      expect(served.b).toBeGreaterThan(0);
    });
  });

  describe('a reply', () => {
    it('for nobody, and one that cannot be read, leave the others alone', async () => {
      const server = await installation.bus('server');
      const caller = await installation.bus('caller');
      await server.handle('mail', echo);
      await installation.ready();
      const topic = replyTopic('caller', installation.prefix);
      const { headers, value } = encodeReply(replyTo(requestOf()));
      await write(topic, { value, headers: { ...headers } });
      await write(topic, { value: 'no reply' });
      expect((await caller.request('mail', requestOf())).status).toBe(200);
    });

    it('comes by the deadline again when its topic vanished, and others never miss theirs', async () => {
      const server = await installation.bus('server');
      const caller = await installation.bus('caller');
      const other = await installation.bus('other');
      await server.handle('mail', echo);
      await installation.ready();
      await caller.request('mail', requestOf());
      await admin.deleteTopics({ topics: [replyTopic('caller', installation.prefix)] });
      const deadlineMs = Date.now() + 60_000;
      const replies = Promise.allSettled(
        Array.from({ length: 5 }, () => caller.request('mail', requestOf({ deadlineMs }))),
      );
      for (let i = 0; i < 20; i += 1) await other.request('mail', requestOf());
      for (const each of await replies) expect(each).toMatchObject({ value: { status: 200 } });
    });

    it('reaches a process that comes back under its name before the one that was killed is missed', async () => {
      const server = await installation.bus('server');
      await server.handle('mail', echo);
      // Its member lives on, as a dead one's does until its session ends.
      const before = await installation.bus('caller');
      await installation.ready();
      await before.request('mail', requestOf());
      const after = await installation.bus('caller');
      await installation.ready();
      for (const caller of [after, before]) {
        expect((await caller.request('mail', requestOf())).status).toBe(200);
      }
    });

    it('has a topic that is made at the start and removed at a clean stop', async () => {
      const caller = await installation.bus('caller');
      const topic = replyTopic('caller', installation.prefix);
      await installation.ready();
      expect(await admin.listTopics()).toContain(topic);
      await caller.close();
      await until(async () => !(await admin.listTopics()).includes(topic));
      const groups = (await admin.listGroups()).groups.map(({ groupId }) => groupId);
      expect(groups.filter((group) => group.startsWith(topic))).toEqual([]);
    });
  });

  describe('an event', () => {
    it('that cannot be read is dead-lettered, and the next of its partition is handled', async () => {
      const bus = await installation.bus('bus');
      const seen: unknown[] = [];
      await bus.subscribe('ledger', ['messaging'], async (event) => void seen.push(dataOf(event)));
      await installation.ready();
      const topic = eventTopic('messaging', installation.prefix);
      const good = eventOf('cnv_1', 'good');
      const { headers, value } = encodeEvent(good);
      const record = { key: eventKey(good), value, headers: { ...headers } };
      await write(topic, { ...record, value: '{"no": "JSON"' });
      await write(topic, { ...record, headers: { ...headers, type: 'conversation.painted' } });
      await write(topic, { ...record, headers: { ...headers, version: '99' } });
      await write(topic, { ...record, value: null });
      await bus.emit([good]);
      await until(() => seen.length === 1);
      expect((await deadLetters('ledger')).map(({ cause }) => cause)).toEqual([
        'MalformedEnvelope: event that is no JSON',
        'MalformedEnvelope: event of unknown type conversation.painted',
        'MalformedEnvelope: event version 99',
        'MalformedEnvelope: record without a value',
      ]);
    });

    it('that was dead-lettered is replayed to its consumer alone, once', async () => {
      const retry = { attemptsMax: 1, firstDelayMs: 1, delayMaxMs: 1 };
      const bus = await installation.bus('bus', { retry });
      const seen = { ledger: [] as string[], mirror: [] as string[] };
      let broken = true;
      await bus.subscribe('ledger', ['messaging'], async ({ id }) => {
        if (broken) throw new Error('broken');
        seen.ledger.push(id);
      });
      await bus.subscribe('mirror', ['messaging'], async ({ id }) => void seen.mirror.push(id));
      await installation.ready();
      const events = [eventOf('cnv_1'), eventOf('cnv_1')];
      const ids = events.map(({ id }) => id);
      await bus.emit(events);
      await until(async () => (await deadLetters('ledger')).length === 2);
      expect(await deadLetters('ledger')).toMatchObject(
        events.map((event) => ({
          topic: eventTopic('messaging', installation.prefix),
          key: eventKey(event),
          headers: { id: event.id, type: event.type, tenant: event.tenantId },
          value: Buffer.from(event.envelope),
          cause: 'Error: broken',
          attempts: 1,
        })),
      );
      broken = false;
      expect(await replayDeadLetters(installation, 'ledger')).toBe(2);
      await until(() => seen.ledger.length === 2);
      expect(await replayDeadLetters(installation, 'ledger')).toBe(0);
      expect(await deadLetters('ledger')).toEqual([]);
      await bus.emit([eventOf('cnv_1')]);
      await until(() => seen.mirror.length === 3);
      expect(seen.ledger.slice(0, 2)).toEqual(ids);
      expect(seen.mirror.slice(0, 2)).toEqual(ids);
    });

    inFullRun(it)('that was dead-lettered is replayed, however many there are', async () => {
      const retry = { attemptsMax: 1, firstDelayMs: 1, delayMaxMs: 1 };
      const bus = await installation.bus('bus', { retry });
      let broken = true;
      const seen = new Set<string>();
      await bus.subscribe('ledger', ['messaging'], async ({ id }) => {
        if (broken) throw new Error('broken');
        seen.add(id);
      });
      await installation.ready();
      const events = Array.from({ length: 1_200 }, (_, at) => eventOf(`cnv_${at % 50}`));
      await bus.emit(events);
      // One that asks for a topic asks for it ever after, also when it is gone.
      const asking = kafka.admin();
      await asking.connect();
      const ends = () => asking.fetchTopicOffsets(deadLetterTopic('ledger', installation.prefix));
      await until(async () => Number((await ends())[0]?.high) >= 1_200, 60_000);
      await asking.disconnect();
      expect(await deadLetters('ledger')).toHaveLength(1_000);
      broken = false;
      expect(await replayDeadLetters(installation, 'ledger')).toBe(1_200);
      await until(() => seen.size === 1_200);
      expect(await deadLetters('ledger')).toEqual([]);
    });

    it('whose consumer stops before its effect comes again; one that had its effect does not', async () => {
      const bus = await installation.bus('bus', {
        retry: { attemptsMax: 100, firstDelayMs: 50, delayMaxMs: 50 },
      });
      const done = eventOf('cnv_1', 'done');
      const open = eventOf('cnv_2', 'open');
      let tried = false;
      const seen: string[] = [];
      const stop = await bus.subscribe('ledger', ['messaging'], async ({ id }) => {
        if (id === open.id) {
          tried = true;
          throw new Error('its database is away');
        }
        seen.push(id);
      });
      await installation.ready();
      await bus.emit([done]);
      await until(() => seen.length === 1);
      await bus.emit([open]);
      await until(() => tried);
      await stop();
      await bus.subscribe('ledger', ['messaging'], async ({ id }) => void seen.push(id));
      const marker = { ...eventOf('cnv_1', 'marker') };
      await bus.emit([marker]);
      await until(() => seen.length >= 3);
      expect(seen.sort()).toEqual([done.id, open.id, marker.id].sort());
    });

    it('of a resource whose events all fail holds up that resource, not the other ones', async () => {
      const bus = await installation.bus('bus', {
        recordsInFlightMax: 16,
        retry: { attemptsMax: 1_000, firstDelayMs: 20, delayMaxMs: 20 },
      });
      const seen: string[] = [];
      await bus.subscribe('ledger', ['messaging'], async ({ resource }) => {
        if (resource === 'cnv_bad') throw new Error('never');
        seen.push(resource);
      });
      await installation.ready();
      await bus.emit(Array.from({ length: 100 }, () => eventOf('cnv_bad')));
      await bus.emit(Array.from({ length: 10 }, (_, at) => eventOf(`cnv_${at}`)));
      await until(() => seen.length === 10);
    });

    it('that does not end holds up its partition at a bound, and no longer than it lasts', async () => {
      const bus = await installation.bus('bus', { commitDistanceMax: 20 });
      let end = (): void => undefined;
      const stuck = new Promise<void>((resolve) => (end = resolve));
      const seen = new Set<string>();
      await bus.subscribe('ledger', ['messaging'], async ({ id, resource }) => {
        if (resource === 'cnv_stuck') await stuck;
        seen.add(id);
      });
      await installation.ready();
      const events = [eventOf('cnv_stuck')];
      await bus.emit(events);
      const isHeld = (): boolean =>
        installation.log.lines.some((line) => line.includes('waits for its oldest record'));
      await until(async () => {
        const more = Array.from({ length: 30 }, (_, at) => eventOf(`cnv_${at}`));
        events.push(...more);
        await bus.emit(more);
        return isHeld();
      });
      expect(seen.size).toBeLessThan(events.length);
      end();
      await until(() => seen.size === events.length);
    });

    // The limit bus.eventHandlers.
    it('of one workspace that do not end leave handlers to another', async () => {
      const bus = await installation.bus('bus');
      const { promise, resolve: end } = Promise.withResolvers<void>();
      const seen: string[] = [];
      await bus.subscribe('ledger', ['messaging'], async ({ tenantId }) => {
        seen.push(tenantId);
        if (tenantId === 'tnt_1') await promise;
      });
      await installation.ready();
      await bus.emit(Array.from({ length: 140 }, (_, at) => eventOf(`cnv_${at}`)));
      await until(() => seen.length === 96);
      await bus.emit([{ ...eventOf('cnv_1'), tenantId: 'tnt_2' }]);
      await until(() => seen.length > 96);
      expect(seen.at(-1)).toBe('tnt_2');
      end();
      await until(() => seen.length === 141);
    });

    it('that waits for a place behind others leaves its consumer ready', async () => {
      const bus = await installation.bus('bus', { recordsInFlightMax: 1 });
      let handled = 0;
      let unready = 0;
      await bus.subscribe('ledger', ['messaging'], async () => {
        await sleep(100);
        if (!bus.health().ready) unready += 1;
        handled += 1;
      });
      await installation.ready();
      // Longer than a consumer that fetches nothing is taken for ready.
      await bus.emit(Array.from({ length: 120 }, () => eventOf('cnv_1')));
      await until(() => handled === 120);
      // The fault would make the last 20 find it unready. A broker that stands still for a moment makes it
      // join its group anew, and be unready for a few.
      expect(unready).toBeLessThan(10);
    });

    it('whose topic is gone does not take those of other topics with it', async () => {
      const bus = await installation.bus('bus');
      const topic = eventTopic('messaging', installation.prefix);
      await admin.deleteTopics({ topics: [topic] });
      await until(async () => !(await admin.listTopics()).includes(topic));
      const lost = eventOf('cnv_1');
      const kept = eventOf('cnt_1', null, 'contact.created');
      expect(await bus.emit([lost, kept])).toMatchObject({
        stored: [kept.id],
        failure: refusedFor('no-broker'),
      });
    });

    it('that was emitted before anyone subscribed is not lost', async () => {
      const bus = await installation.bus('bus');
      const event = eventOf('cnv_1');
      await bus.emit([event]);
      const seen: string[] = [];
      await bus.subscribe('ledger', ['messaging'], async ({ id }) => void seen.push(id));
      await until(() => seen.length === 1);
      expect(seen).toEqual([event.id]);
    });
  });

  describe('a topic', () => {
    it('that is not declared is neither written nor read', async () => {
      const bus = await installation.bus('bus');
      const undeclared = { name: 'UndeclaredTopic' };
      await expect(
        bus.subscribe('stranger', ['messaging'], async () => undefined),
      ).rejects.toMatchObject(undeclared);
      await expect(
        bus.subscribe('ledger', ['helpdesk'], async () => undefined),
      ).rejects.toMatchObject(undeclared);
      await expect(bus.emit([eventOf('tkt_1', null, 'ticket.created')])).rejects.toMatchObject(
        undeclared,
      );
      const bare = await installation.bus('bare', { declared: [] });
      await expect(bare.handle('mail', echo)).rejects.toMatchObject(undeclared);
      await expect(bare.request('mail', requestOf())).rejects.toMatchObject(undeclared);
    });

    it('is created once, with the counts of the configuration', async () => {
      const { brokers, declared, prefix } = installation;
      expect(await createTopics({ brokers }, declared, { partitions: 9 })).toEqual([]);
      const { topics } = await admin.fetchTopicMetadata({
        topics: [requests(), deadLetterTopic('mail', prefix)],
      });
      expect(topics.map(({ partitions }) => partitions.length).sort()).toEqual([1, 3]);
    });
  });

  it('lists the dead letters of topics that were made this moment', async () => {
    const { brokers } = broker;
    const { log, prefix } = installation;
    const prefixes = Array.from({ length: 20 }, (_, at) => `${prefix}-${at}`);
    const topics = prefixes.map((each) => deadLetterTopic('mail', each));
    await admin.createTopics({
      waitForLeaders: false,
      topics: topics.map((topic) => ({ topic, numPartitions: 1 })),
    });
    const listed = prefixes.map((each) => listDeadLetters({ brokers, prefix: each, log }, 'mail'));
    // Settled: what failed must not leave its topics to the next spec.
    const settled = await Promise.allSettled(listed);
    await admin.deleteTopics({ topics });
    expect(settled).toEqual(prefixes.map(() => ({ status: 'fulfilled', value: [] })));
  });

  it('takes no name that cannot be one of a topic', async () => {
    const options = { ...installation, instance: 'a b', signatures: null };
    await expect(KafkaBus.connect(options)).rejects.toThrow('not a name for an instance: a b');
  });
});
