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
  const life = new ConsumerHealth();
  life.joined();
  life.fetched();
  return life;
};

describe('a consumer is ready', () => {
  it('when it has joined and then read from its position, and not before', () => {
    const life = new ConsumerHealth();
    life.fetched();
    expect(life.ready).toBe(false);
    life.joined();
    expect(life.ready).toBe(false);
    life.fetched();
    expect(life.ready).toBe(true);
  });

  it('no more when it has read nothing for ten seconds, and again when it does', () => {
    const life = reading();
    jest.advanceTimersByTime(10_000);
    expect(life.ready).toBe(false);
    life.fetched();
    expect(life.ready).toBe(true);
  });

  it('no more when it crashed, until it has joined and read again', () => {
    const life = reading();
    life.crashed(true);
    life.fetched();
    expect(life.ready).toBe(false);
    life.joined();
    life.fetched();
    expect(life.ready).toBe(true);
  });
});

describe('a consumer is alive', () => {
  it('while it gives signs, be it attempts to reach a broker', () => {
    const life = reading();
    for (let minute = 0; minute < 10; minute += 1) {
      jest.advanceTimersByTime(59_000);
      life.beat();
    }
    expect(life).toMatchObject({ alive: true, ready: false });
  });

  it('no more after a minute of silence', () => {
    const life = reading();
    jest.advanceTimersByTime(60_000);
    expect(life.alive).toBe(false);
  });

  it('through a crash that it is restarted from, and not through another', () => {
    const life = reading();
    life.crashed(true);
    expect(life.alive).toBe(true);
    life.crashed(false);
    expect(life.alive).toBe(false);
    life.joined();
    expect(life.alive).toBe(true);
  });
});
