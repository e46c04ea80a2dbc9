import { describe, expect, it } from '@jest/globals';
import { languageOf } from './language.js';

describe('the language of an answer', () => {
  it.each([
    [undefined, 'fr'],
    ['', 'fr'],
    ['*', 'fr'],
    ['en', 'en'],
    ['EN-gb', 'en'],
    ['en-US,en;q=0.9,fr;q=0.8', 'en'],
    ['fr-FR,fr;q=0.9,en;q=0.8', 'fr'],
    ['fr, en', 'fr'],
    ['en, fr', 'en'],
    ['fr;q=0.2, en;q=0.3', 'en'],
    ['de, en;q=0.5, fr;q=0.5', 'en'],
    ['en;q=0', 'fr'],
    ['en ; q = 0.1', 'en'],
    ['english', 'fr'],
    ['de, it', 'fr'],
    [','.repeat(15_000), 'fr'],
  ] as const)('of Accept-Language %j is %s', (header, expected) => {
    expect(languageOf(header)).toBe(expected);
  });
});
