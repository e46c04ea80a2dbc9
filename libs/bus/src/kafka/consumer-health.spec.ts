import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConsumerHealth } from './consumer-health.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A consumer that has joined and fetched. */
const reading = (): ConsumerHealth => {
  const health = new ConsumerHealth();
  health.joined();
  health.fetched();
  return health;
};

describe('a consumer is ready', () => {
  it('when it has joined and then read from its position, and not before', () => {
    const health = new ConsumerHealth();
    health.fetched();
    expect(health.ready).toBe(false);
    health.joined();
    expect(health.ready).toBe(false);
    health.fetched();
    expect(health.ready).toBe(true);
  });

  it('no more when it has read nothing for ten seconds, and again when it does', () => {
    const health = reading();
    jest.advanceTimersByTime(10_000);
    expect(health.ready).toBe(false);
    health.fetched();
    expect(health.ready).toBe(true);
  });

  it('no more when it crashed, until it has joined and read again', () => {
    const health = reading();
    health.crashed(true);
    health.fetched();
    expect(health.ready).toBe(false);
    health.joined();
    health.fetched();
    expect(health.ready).toBe(true);
  });
});

describe('a consumer tells why it is not ready', () => {
  it('when it may not do something, though it is restarted by nobody, until it reads', () => {
    const health = reading();
    const problem = 'Group authorization failed';
    health.failed(problem);
    health.crashed(false);
    expect(health).toMatchObject({ alive: true, ready: false, problem });
    health.joined();
    expect(health.problem).toBe(problem);
    health.fetched();
    expect(health).toMatchObject({ ready: true, problem: undefined });
  });

  it('when it cannot start', () => {
    const health = new ConsumerHealth();
    health.failed('self-signed certificate');
    expect(health.problem).toBe('self-signed certificate');
  });
});

describe('a consumer is alive', () => {
  it('while it gives signs, be it attempts to reach a broker', () => {
    const health = reading();
    for (let minute = 0; minute < 10; minute += 1) {
      jest.advanceTimersByTime(59_000);
      health.beat();
    }
    expect(health).toMatchObject({ alive: true, ready: false });
  });

  it('no more after a minute of silence', () => {
    const health = reading();
    jest.advanceTimersByTime(60_000);
    expect(health.alive).toBe(false);
  });

  it('through a crash that it is restarted from, and not through another', () => {
    const health = reading();
    health.crashed(true);
    expect(health.alive).toBe(true);
    health.crashed(false);
    expect(health.alive).toBe(false);
    health.joined();
    expect(health.alive).toBe(true);
  });
});
