import {
  type BusLog,
  createTopics,
  type DeclaredTopic,
  declaredTopics,
  KafkaBus,
  type RequestEnvelope,
} from '@postroom/bus';
import { replyTimeoutMs, type Carrier, type CarrierAddress } from './carrier.js';

const prefix = 'bench.ours';
const service = 'mail';
const declared: readonly DeclaredTopic[] = declaredTopics({ prefix });

/** Makes the topics of the bus, as the product does before its services start. */
export const makeBusTopics = (brokers: string): Promise<unknown> =>
  createTopics({ brokers: brokers.split(',') }, declared);

const silent = (): void => undefined;
const log: BusLog = { debug: silent, info: silent, warn: silent, error: silent };

const join = (
  { brokers }: CarrierAddress,
  instance: string,
  sendsRequests: boolean,
): Promise<KafkaBus> =>
  KafkaBus.connect({
    brokers: brokers.split(','),
    instance,
    prefix,
    declared,
    log,
    signatures: null,
    sendsRequests,
  });

/** Our adapter, with everything it does for a request that may be lost, repeated or late. */
export const kafkaBus: Carrier = {
  async serve(place, answer) {
    const bus = await join(place, 'service', false);
    await bus.handle(service, async ({ id, input }) => ({
      id,
      status: 200,
      headers: {},
      problem: null,
      body: await answer(input),
    }));
    return { address: null, close: () => bus.close() };
  },

  async call(place) {
    const bus = await join(place, 'caller', true);
    let asked = 0;
    return {
      ask: async (input) => {
        asked += 1;
        return (await bus.request(service, envelope(String(asked), input))).body;
      },
      close: () => bus.close(),
    };
  },
};

const envelope = (id: string, input: Buffer): RequestEnvelope => ({
  id,
  operation: 'bench',
  deadlineMs: Date.now() + replyTimeoutMs,
  caller: '{}',
  signature: '-',
  idempotencyKey: null,
  preview: false,
  requestId: id,
  traceparent: null,
  orderKey: null,
  references: null,
  replyTo: null,
  input,
});
