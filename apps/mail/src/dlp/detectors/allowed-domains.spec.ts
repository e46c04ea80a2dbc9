import { describe, expect, it } from '@jest/globals';
import { AllowedDomains } from './allowed-domains.js';

const excludes = (pattern: string, address: string): boolean =>
  AllowedDomains.parse(pattern).excludes(address);

describe('allowed domains', () => {
  it('are themselves, whatever the letter case, and not those below them', () => {
    expect(excludes('example.com', 'ada@example.com')).toBe(false);
    expect(excludes('Example.COM', 'ada@EXAMPLE.com')).toBe(false);
    expect(excludes('example.com', 'ada@mail.example.com')).toBe(true);
    expect(excludes('example.com', 'ada@badexample.com')).toBe(true);
    expect(excludes('example.com', 'ada@example.com.evil.test')).toBe(true);
  });

  it('are all below one that a star stands before, and not that one', () => {
    expect(excludes('*.example.com', 'ada@mail.example.com')).toBe(false);
    expect(excludes('*.example.com', 'ada@a.b.example.com')).toBe(false);
    expect(excludes('*.example.com', 'ada@example.com')).toBe(true);
    expect(excludes('*.example.com', 'ada@badexample.com')).toBe(true);
    expect(excludes('example.com, *.example.com', 'ada@example.com')).toBe(false);
  });

  it('are the same in every script and width', () => {
    for (const written of ['münchen.example', 'xn--mnchen-3ya.example', 'MÜNCHEN.example']) {
      expect(excludes('münchen.example', `ada@${written}`)).toBe(false);
      expect(excludes(written, 'ada@münchen.example')).toBe(false);
    }
    expect(excludes('example.com', 'ada@ｅｘａｍｐｌｅ.com')).toBe(false);
    // Cyrillic a: another domain that looks the same.
    expect(excludes('example.com', 'ada@ex\u0430mple.com')).toBe(true);
  });

  it('do not have an address whose domain cannot be read', () => {
    for (const address of ['ada@', 'ada@a b', 'ada@[127.0.0.1]', 'ada']) {
      expect(excludes('example.com', address)).toBe(true);
    }
  });

  it('may be written as the end of an address, and with a dot at theirs', () => {
    expect(excludes('@example.com', 'ada@example.com')).toBe(false);
    expect(excludes('example.com.', 'ada@example.com')).toBe(false);
  });

  it.each([
    '',
    ',',
    'ada@example.com',
    '*',
    '*.',
    'exa mple.com',
    'example..com',
    '-a.com',
    'a.*.com',
    'http://a.com',
  ])('are refused when they are none: "%s"', (pattern) => {
    expect(() => AllowedDomains.parse(pattern)).toThrow('INVALID_REQUEST');
  });
});
