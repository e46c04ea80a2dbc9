import { describe, expect, it } from '@jest/globals';
import { NotYet, retriable } from './client.js';

const failing = (...failures: Error[]) => {
  const work = async (): Promise<number> => {
    const failure = failures.shift();
    if (failure) throw failure;
    return failures.length;
  };
  return work;
};

const wrapped = (name: string, cause: Error): Error =>
  Object.assign(new Error('wrapped', { cause }), { name, retriable: false });

describe('work at a broker', () => {
  it('is done again while its failures pass, and what kafkajs makes of them', async () => {
    const passing = [
      new NotYet('a moment'),
      wrapped('KafkaJSNonRetriableError', new NotYet('a moment')),
      new TypeError('of null'),
    ];
    expect(await retriable(failing(...passing), 60_000)).toBe(0);
  });

  it.each([
    ['is for good', new Error('no right to')],
    ['kafkajs has tried often enough', wrapped('KafkaJSNumberOfRetriesExceeded', new NotYet('x'))],
  ])('fails at once when its failure %s', async (_, failure) => {
    await expect(retriable(failing(failure), 60_000)).rejects.toBe(failure);
  });

  it('fails as it last did when its time is up, and when it does not end', async () => {
    const late = retriable(() => Promise.reject(new NotYet('still not')), 150);
    await expect(late).rejects.toThrow('still not');
    const stuck = retriable(() => new Promise(() => undefined), 50);
    await expect(stuck).rejects.toMatchObject({ reason: 'deadline' });
  });
});
