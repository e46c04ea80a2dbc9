import { describe, expect, it } from '@jest/globals';
import { previewOf, storableLine, storableText } from './storable-text.js';

describe('storableText', () => {
  it.each([
    ['a NUL', 'a\0b', 'a\ufffdb'],
    ['a lone high surrogate', 'a\ud83d', 'a\ufffd'],
    ['a lone low surrogate', '\ude00b', '\ufffdb'],
    ['a whole pair', '\ud83d\ude00', '\ud83d\ude00'],
  ])('replaces %s only where PostgreSQL refuses it', (_what, text, stored) => {
    expect(storableText(text, 100)).toBe(stored);
  });

  it('never ends in half a pair when it cuts', () => {
    expect(storableText('a😀', 2)).toBe('a\ufffd');
  });
});

describe('storableLine', () => {
  it('folds line ends, tabs and controls to one blank', () => {
    expect(storableLine(' a\r\n\tb\u0007c\u0085d ', 100)).toBe('a b c d');
  });

  it('counts code points', () => {
    expect(storableLine('😀'.repeat(10), 3)).toBe('😀😀😀');
  });
});

describe('previewOf', () => {
  it('is one line of at most 200 code points', () => {
    expect(Array.from(previewOf('😀 line\n'.repeat(500)))).toHaveLength(200);
  });

  it('skips the invisible padding of newsletters but keeps emoji joined', () => {
    expect(previewOf(`Hi${' \u200c\u00a0\u034f'.repeat(300)} 👩\u200d🔧`)).toBe('Hi 👩\u200d🔧');
  });
});
