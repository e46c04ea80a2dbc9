import { describe, expect, it } from '@jest/globals';
import { eventGroup, eventGroups } from './events.js';

describe('the events', () => {
  it('belong to one group each', () => {
    const types = Object.values(eventGroups).flat();
    expect(new Set(types).size).toBe(types.length);
    for (const [group, members] of Object.entries(eventGroups)) {
      for (const type of members) expect(eventGroup(type)).toBe(group);
    }
  });

  it.each(['comment.added', 'conversation.archived', 'constructor', '__proto__', ''])(
    'do not include %j',
    (type) => {
      expect(eventGroup(type)).toBeUndefined();
    },
  );
});
