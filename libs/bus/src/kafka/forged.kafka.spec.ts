import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  eventConsumers,
  eventGroups,
  internalEventGroups,
  serviceNames,
  type EventConsumer,
  type OutgoingGroup,
  type OutgoingType,
} from '@postroom/contracts';
import { until } from '@postroom/testing/until';
import { publishes } from '../rights.js';
import { outgoingTopic, replyTopic } from '../topics.js';
import type { Kafka, Producer } from 'kafkajs';
import {
  BusUnavailable,
  UnverifiedRecord,
  type EventRecord,
  type RequestOptions,
  type SignReply,
} from '../bus.js';
import { encodeReply, type BusRecord } from '../bus-record.js';
import { encodeEvent, eventKey } from '../event-record.js';
import { brokerForSpecs, Installation, noBroker, type SpecBroker } from '../testing/kafka-world.js';
import { eventOf, held, replyTo, requestOf, signaturesOf } from '../testing/messages.js';
import { whereThere } from '@postroom/testing';
import { kafkaClient } from './client.js';
import { listDeadLetters, replayDeadLetters } from './dead-letter-replay.js';
import { headersOf, signedRecord } from './record.js';

const groups: Readonly<Record<OutgoingGroup, readonly OutgoingType[]>> = {
  ...eventGroups,
  ...internalEventGroups,
};
const groupNames = Object.keys(groups) as OutgoingGroup[];
const typeOf = (group: OutgoingGroup): OutgoingType => {
  const [type] = groups[group];
  if (!type) throw new Error(`${group} has no type`);
  return type;
};

whereThere({ missing: noBroker }, describe)('forged records on Kafka', () => {
  let broker: SpecBroker;
  let installation: Installation;
  let kafka: Kafka;

  beforeAll(async () => {
    broker = await brokerForSpecs();
    const { brokers } = broker;
    kafka = kafkaClient({ brokers, instance: 'forger', log: new Installation(brokers).log });
  });
  afterAll(() => broker.stop());
  beforeEach(async () => {
    installation = await new Installation(broker.brokers, /./).create(1);
  });
  afterEach(() => installation.close());

  /** As anybody who may write to the topic. */
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

  /** An event as its publisher writes it, and what may be forged of it. */
  const signed = (event: EventRecord, signer: (typeof serviceNames)[number], onTopic: string) =>
    signedRecord(
      { topic: onTopic, key: eventKey(event), ...encodeEvent(event) },
      signaturesOf(signer),
    );
  type Placed = ReturnType<typeof signed>;
  const writeEvent = ({ topic, key, headers, value }: Placed): Promise<void> =>
    write(topic, { key, headers: headersOf(headers), value });

  /** Every way to have an event that its publisher has not published, on one topic. */
  function forgeries(group: OutgoingGroup): Placed[] {
    const { prefix } = installation;
    const topic = outgoingTopic(group, prefix);
    const fresh = (): EventRecord => eventOf('res_1', 'forged', typeOf(group));
    const publisher = serviceNames.find((name) => publishes(name, group));
    const others = serviceNames.filter((name) => !publishes(name, group));
    const unsigned: Placed = { topic, key: eventKey(fresh()), ...encodeEvent(fresh()) };
    const bySomebodyElse = others.map((name) => signed(fresh(), name, topic));
    if (!publisher) return [unsigned, ...bySomebodyElse];
    const genuine = signed(fresh(), publisher, topic);
    const changed = (part: Partial<Placed>): Placed => ({ ...genuine, ...part });
    const header = (headers: BusRecord['headers']): Placed =>
      changed({ headers: { ...genuine.headers, ...headers } });
    const strange = groupNames.find((name) => !publishes(publisher, name)) ?? group;
    return [
      unsigned,
      ...bySomebodyElse,
      changed({ value: Buffer.from('{"data":"changed"}') }),
      changed({ key: 'tnt_2/res_1' }),
      header({ id: 'evn_changed' }),
      header({ tenant: 'tnt_2' }),
      header({ resource: 'res_2' }),
      header({ signature: signaturesOf(publisher).sign('another content') }),
      { ...signed(fresh(), publisher, outgoingTopic(strange, prefix)), topic },
      // A service's own signature, for a type that it does not publish, where it may write.
      signed(eventOf('res_1', 'forged', typeOf(strange)), publisher, topic),
    ];
  }

  describe('an event or internal event', () => {
    it('is read from every topic that there is', () => {
      const read = Object.values<EventConsumer>(eventConsumers).flatMap((one) => one.groups);
      expect(new Set(read)).toEqual(new Set(groupNames));
    });

    it.each(Object.keys(eventConsumers) as (keyof typeof eventConsumers)[])(
      'that its publisher has not signed has no effect on %s, and is parked and counted',
      async (consumer) => {
        const { groups: read }: EventConsumer = eventConsumers[consumer];
        let unverified = 0;
        const handled: EventRecord[] = [];
        const bus = await installation.bus('consumer', {
          signatures: signaturesOf('access'),
          sendsRequests: false,
          onUnverified: () => (unverified += 1),
        });
        await bus.subscribe(consumer, read, async (event) => void handled.push(event));
        await installation.ready();
        const forged = read.flatMap(forgeries);
        for (const record of forged) await writeEvent(record);
        const genuine = read.flatMap((group) => {
          const publisher = serviceNames.find((name) => publishes(name, group));
          return publisher ? [{ publisher, event: eventOf('res_1', null, typeOf(group)) }] : [];
        });
        for (const { publisher, event } of genuine) {
          const own = await installation.bus(`publisher-${event.id}`, {
            signatures: signaturesOf(publisher),
            sendsRequests: false,
          });
          expect(await own.emit([event])).toMatchObject({ failure: null });
        }
        await until(() => handled.length >= genuine.length);
        await until(() => unverified >= forged.length);
        expect(unverified).toBe(forged.length);
        const expected = genuine.map(({ publisher, event }) => ({ ...event, publisher }));
        expect(new Set(handled)).toEqual(new Set(expected));
        expect(handled).toHaveLength(expected.length);
        const parked = await listDeadLetters(installation, consumer);
        expect(parked).toHaveLength(forged.length);
        for (const { cause } of parked) expect(cause).toMatch(/^UnverifiedRecord: /);
      },
    );

    it('that its consumer cannot handle is parked with its signature, and so may be replayed', async () => {
      const mail = await installation.bus('mail', { signatures: signaturesOf('mail') });
      const webhooks = await installation.bus('webhooks', {
        signatures: signaturesOf('webhooks'),
        retry: { attemptsMax: 1, firstDelayMs: 1, delayMaxMs: 1 },
      });
      let isWell = false;
      const handled: string[] = [];
      await webhooks.subscribe('webhooks', ['messaging'], async ({ id }) => {
        if (!isWell) throw new Error('a bad day');
        handled.push(id);
      });
      await installation.ready();
      const event = eventOf('res_1');
      await mail.emit([event]);
      const parked = () => listDeadLetters(installation, 'webhooks');
      await until(async () => (await parked()).length === 1);
      isWell = true;
      expect(await replayDeadLetters(installation, 'webhooks')).toBe(1);
      await until(() => handled.includes(event.id));
    });

    it('that its handler finds unbelievable is parked at once, an internal one too', async () => {
      let unverified = 0;
      const mail = await installation.bus('mail', { signatures: signaturesOf('mail') });
      const gateway = await installation.bus('gateway', {
        signatures: signaturesOf('access'),
        onUnverified: () => (unverified += 1),
      });
      await gateway.subscribe('audit', ['audit'], ({ publisher }) =>
        Promise.reject(new UnverifiedRecord(`not ${String(publisher)}’s`)),
      );
      await installation.ready();
      await mail.emit([eventOf('audit', null, 'audit.recorded')]);
      await until(() => unverified === 1);
      await until(async () => {
        const [letter] = await listDeadLetters(installation, 'audit');
        return letter?.cause === 'UnverifiedRecord: not mail’s' && letter.attempts === 1;
      });
    });
  });

  describe('a request', () => {
    it('that its service finds forged is not answered, parked and counted, and nothing else is', async () => {
      let unverified = 0;
      const server = await installation.bus('server', { onUnverified: () => (unverified += 1) });
      const caller = await installation.bus('caller');
      await server.handle('mail', (request) =>
        request.signature === 'forged' || request.replyTo !== caller.replyTo
          ? Promise.reject(new UnverifiedRecord('nobody has signed it'))
          : Promise.resolve(replyTo(request)),
      );
      await installation.ready();
      const forged = requestOf({ signature: 'forged', deadlineMs: Date.now() + 15_000 });
      // A signed refusal could be passed off as the answer to somebody else's request.
      await expect(caller.request('mail', forged)).rejects.toThrow(BusUnavailable);
      expect(await caller.request('mail', requestOf())).toMatchObject({ status: 200 });
      expect(unverified).toBe(1);
      const parked = await listDeadLetters(installation, 'mail');
      expect(parked.map(({ headers, cause }) => ({ id: headers['id'], cause }))).toEqual([
        { id: forged.id, cause: 'UnverifiedRecord: nobody has signed it' },
      ]);
    });
  });

  describe('a reply', () => {
    const sign: SignReply = (_request, { id, body }) => `of ${id}: ${body.toString()}`;
    const options: RequestOptions = {
      isSigned: ({ id, body, signature }) => signature === `of ${id}: ${body.toString()}`,
    };

    it('that the service has not signed is ignored and counted; its own still arrives', async () => {
      let unverified = 0;
      const server = await installation.bus('server');
      const caller = await installation.bus('caller', { onUnverified: () => (unverified += 1) });
      const { handler, answers } = held();
      await server.handle('mail', handler, sign);
      await installation.ready();
      const request = requestOf();
      const answered = caller.request('mail', request, options);
      await until(() => answers.length === 1);
      const forged = [
        replyTo(request, 'forged'),
        { ...replyTo(request, 'forged'), signature: `of ${request.id}: other` },
        { ...replyTo(request, 'forged'), signature: '' },
      ];
      for (const reply of forged) {
        const { headers, value } = encodeReply(reply);
        await write(replyTopic('caller', installation.prefix), { headers, value });
      }
      await until(() => unverified === forged.length);
      answers[0]?.();
      expect((await answered).body.toString()).toBe('');
      expect(unverified).toBe(forged.length);
    });

    it('that the bus makes itself for a handler that fails is signed too', async () => {
      const server = await installation.bus('server');
      const caller = await installation.bus('caller');
      await server.handle('mail', () => Promise.reject(new Error('a defect')), sign);
      await installation.ready();
      const reply = await caller.request('mail', requestOf(), options);
      expect(reply).toMatchObject({ status: 500, problem: 'INTERNAL' });
    });
  });
});
