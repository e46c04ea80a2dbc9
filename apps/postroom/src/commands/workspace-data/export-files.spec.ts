import { describe, expect, it } from '@jest/globals';
import { fileName, mboxEntry } from './export-files.js';
import { isSecret } from './tenant-tables.js';

const receivedAt = new Date('2026-11-04T09:08:07Z');
const entry = (raw: string, trace = ''): string =>
  mboxEntry({ trace, raw: Buffer.from(raw, 'latin1'), receivedAt }).toString('latin1');

describe('a message of an mbox file', () => {
  it('has its separator, its trace, its bytes as they are, and an empty line', () => {
    expect(entry('Subject: \xe9\xff\r\n\r\nA\0b\r\n', 'Received: here\r\n')).toBe(
      'From postroom Wed Nov  4 09:08:07 2026\n' +
        'Received: here\r\nSubject: \xe9\xff\r\n\r\nA\0b\r\n\n',
    );
  });

  it('ends on a line of its own', () => {
    expect(entry('A: b\n\nno end')).toMatch(/no end\n\n$/);
  });

  it('is quoted where a line would begin another message, and where it was quoted before', () => {
    const text = entry('A: b\n\nFrom me\n>From you\n>>From us\n from\nFromage\n\rFrom\n');
    expect(text.split('\n').slice(3)).toEqual([
      '>From me',
      '>>From you',
      '>>>From us',
      ' from',
      'Fromage',
      '\rFrom',
      '',
      '',
    ]);
  });
});

describe('the files of an export', () => {
  it.each([
    ['support@acme.test', 'support@acme.test'],
    ['../../etc', '-..-etc-x_1'],
    ['a/b', 'a-b-x_1'],
    ['', '-x_1'],
    ['漢'.repeat(100), `${'漢'.repeat(40)}-x_1`],
  ])('have names that any file system takes, and none twice: %s', (name, file) => {
    expect(fileName(name, 'x_1')).toBe(file);
  });

  it('hold nothing that signs in or is sealed', () => {
    const columns = ['secret_hash', 'password_hash', 'token_hash', 'sealed_secret', 'imap', 'dkim'];
    expect(columns.filter((column) => !isSecret(column))).toEqual([]);
    expect(['name', 'hash', 'content', 'tenant_id', 'outgoing_count'].filter(isSecret)).toEqual([]);
  });
});
