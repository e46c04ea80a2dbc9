import { describe, expect, it } from '@jest/globals';
import { hasLoneBreak } from './lone-break.js';

describe('hasLoneBreak', () => {
  it.each([
    ['a\r\nb\r\n', false],
    ['', false],
    ['a\nb', true],
    ['\n', true],
    ['a\rb', true],
    ['a\r\n\n', true],
    ['a\r', true],
    ['a\r\r\n', true],
  ])('%j has a lone line break: %p', (text, has) => {
    expect(hasLoneBreak(Buffer.from(text))).toBe(has);
  });
});
