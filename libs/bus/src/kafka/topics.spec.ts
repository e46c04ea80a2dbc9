import { describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import { isTransient } from './client.js';
import { explainRefusals } from './topics.js';

/** The refusal of a topic as kafkajs reads it from the brokers' answer (Kafka protocol, error codes). */
const refusal = (topic: string, type: string, retriable = false): Error =>
  Object.assign(new kafkajs.KafkaJSProtocolError(type), { topic, type, retriable });

const busy = refusal('mail.requests', 'REQUEST_TIMED_OUT', true);
const fenced = refusal('mail.replies', 'INVALID_REPLICATION_FACTOR');
const existing = refusal('mail.events', 'TOPIC_ALREADY_EXISTS');
const forbidden = refusal('audit.events', 'TOPIC_AUTHORIZATION_FAILED');

/** The error that a caller gets when kafkajs reports these refusals. */
const explained = (refusals: Error[]): Promise<unknown> =>
  Promise.reject(new kafkajs.KafkaJSAggregateError('Topic creation errors', refusals))
    .catch(explainRefusals)
    .catch((err: unknown) => err);

describe('topics that the brokers refuse', () => {
  it.each([
    ['a controller that is busy', [busy], true],
    ['a broker that has missed its heartbeats', [fenced], true],
    ['another process that creates them too', [busy, existing], true],
    ['a right that is missing', [forbidden], false],
    ['a right that is missing, and a broker that is fenced', [fenced, forbidden], false],
  ])('because of %s are tried again where that may pass', async (_, refusals, expected) => {
    expect(isTransient(await explained(refusals))).toBe(expected);
  });

  it('are named with the reason of each', async () => {
    expect(String(await explained([fenced, forbidden]))).toBe(
      'Error: topics not created: mail.replies (INVALID_REPLICATION_FACTOR), audit.events (TOPIC_AUTHORIZATION_FAILED)',
    );
  });

  it('leave a failure of another kind as it is', () => {
    const failure = new Error('no broker');
    expect(() => explainRefusals(failure)).toThrow(failure);
  });
});
