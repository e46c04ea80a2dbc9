import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MessageBuffer, ReceptionBudget } from './receive-message.js';

describe('MessageBuffer', () => {
  it('joins chunks of any size', () => {
    const chunk = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
    const large = fc.integer({ min: 60_000, max: 140_000 }).map((size) => Buffer.alloc(size, 'x'));
    fc.assert(
      fc.property(fc.array(fc.oneof(chunk, large), { maxLength: 8 }), (chunks) => {
        const buffer = new MessageBuffer(new ReceptionBudget(2_000_000));
        for (const one of chunks) expect(buffer.append(one)).toBe(true);
        expect(buffer.joined().equals(Buffer.concat(chunks))).toBe(true);
      }),
    );
  });

  it('shares a budget with others, and gives its share back once', () => {
    const budget = new ReceptionBudget(100);
    const [one, other] = [new MessageBuffer(budget), new MessageBuffer(budget)];
    expect(one.append(Buffer.alloc(60))).toBe(true);
    expect(other.append(Buffer.alloc(60))).toBe(false);
    expect(other.append(Buffer.alloc(40))).toBe(true);
    one.release();
    one.release();
    expect(budget.hasRoom(60)).toBe(true);
    expect(budget.hasRoom(61)).toBe(false);
    expect(one.joined()).toHaveLength(0);
  });
});
