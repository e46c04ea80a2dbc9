import { describe, expect, it } from '@jest/globals';
import { Budget } from '@postroom/limits';
import fc from 'fast-check';
import { limits } from '../../limits.js';
import { MessageBuffer } from './receive-message.js';

const block = 64 * 1024;
const bufferIn = (budget: Budget<'site' | 'network'>, network = '192.0.2.1') =>
  new MessageBuffer(budget, { site: '192.0.2', network });

describe('MessageBuffer', () => {
  it('joins chunks of any size', () => {
    const chunk = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
    const large = fc.integer({ min: 60_000, max: 140_000 }).map((size) => Buffer.alloc(size, 'x'));
    fc.assert(
      fc.property(fc.array(fc.oneof(chunk, large), { maxLength: 8 }), (chunks) => {
        const buffer = bufferIn(new Budget(limits.arrivingBytes));
        for (const one of chunks) buffer.append(one);
        expect(buffer.joined().equals(Buffer.concat(chunks))).toBe(true);
      }),
    );
  });

  it('shares a budget with others, and gives its share back once', () => {
    const budget = new Budget(limits.arrivingBytes, 8 * block);
    const [one, other] = [bufferIn(budget), bufferIn(budget, '192.0.2.2')];
    one.append(Buffer.alloc(6 * block));
    expect(() => one.append(Buffer.alloc(1))).toThrow(expect.objectContaining({ by: 'site' }));
    expect(() => other.append(Buffer.alloc(1))).toThrow(expect.objectContaining({ by: 'site' }));
    one.release();
    one.release();
    expect(budget.used).toBe(0);
    other.append(Buffer.alloc(6 * block));
    expect(one.joined()).toHaveLength(0);
  });
});
