import { describe, expect, it } from '@jest/globals';
import { aMessage } from '../testing/arrivals.js';
import { ancestorsOf } from './lock-thread.js';

describe('ancestorsOf', () => {
  it('names the nearest ancestor first', () => {
    expect(ancestorsOf(aMessage({ references: ['root', 'middle', 'parent'] }))).toEqual([
      'parent',
      'middle',
      'root',
    ]);
  });

  it('names what In-Reply-To says after References', () => {
    const message = aMessage({ references: ['root'], inReplyTo: 'other' });
    expect(ancestorsOf(message)).toEqual(['root', 'other']);
  });

  it('names an ancestor once', () => {
    const message = aMessage({ references: ['root', 'parent', 'root'], inReplyTo: 'parent' });
    expect(ancestorsOf(message)).toEqual(['root', 'parent']);
  });

  it('does not count a message as its own ancestor', () => {
    const message = aMessage({
      messageId: 'self',
      references: ['root', 'self'],
      inReplyTo: 'self',
    });
    expect(ancestorsOf(message)).toEqual(['root']);
  });

  it('finds none in a message that answers nothing', () => {
    expect(ancestorsOf(aMessage({ messageId: null }))).toEqual([]);
  });
});
