import { describe, expect, it } from '@jest/globals';
import { filled, growthOf } from '@postroom/testing';
import { differenceOf } from './preview.js';

/** No resource is larger: an event, the longest of all, has half of it. */
const viewBytesMax = 1024 * 1024;

/** Things of a resource that may be as long as it. */
const views: Readonly<Record<string, (length: number) => object>> = {
  'a text': (length) => ({ text: 'a'.repeat(length) }),
  'a text of marks': (length) => ({ text: filled('\u0301\u0316', length) }),
  'a text of what JSON escapes': (length) => ({ text: filled('\u0001"\\', length) }),
  'a text of lone surrogates': (length) => ({ text: filled('\ud800', length) }),
  'a list': (length) => ({ list: Array.from({ length: length / 8 }, (_, i) => `a${i}`) }),
  'a list of objects': (length) => ({
    list: Array.from({ length: length / 40 }, (_, i) => ({ name: `a${i}`, value: { of: [i] } })),
  }),
  fields: (length) =>
    Object.fromEntries(Array.from({ length: length / 20 }, (_, i) => [`a${i}`, i])),
  'lists in lists': (length) => {
    let view: unknown[] = [];
    for (let depth = 0; depth < Math.min(length / 2, 2_000); depth++) view = [view];
    return { view, text: 'a'.repeat(length) };
  },
};

describe('what a write would change', () => {
  it.each(Object.entries(views))(
    'is found in time that grows with the resource, and no more: %s',
    (_what, viewOf) => {
      const run = (length: number) => {
        const view = viewOf(length);
        differenceOf({ view }, { view: { ...view, more: 'a' } });
        differenceOf({ view: { ...view, text: 'b' } }, { view });
      };
      const { ratio, ms } = growthOf(run, viewBytesMax);
      expect(ratio).toBeLessThan(9);
      expect(ms).toBeLessThan(1_000);
    },
  );

  it('is the fields that are other than before, and not what each change changes', () => {
    const before = { view: { id: 'x', title: 'One', list: [1], version: 1, updatedAt: 'a' } };
    const after = { view: { id: 'x', title: 'Two', list: [1], version: 2, updatedAt: 'b' } };
    const difference = { before: { title: 'One' }, after: { title: 'Two' } };
    expect(differenceOf(before, after)).toEqual(difference);
    expect(differenceOf(null, after)).toEqual({ before: null, after: { title: 'Two', list: [1] } });
    expect(differenceOf(before, null)).toEqual({ before: before.view, after: null });
  });
});
