import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { newId } from '@postroom/contracts';
import { exportFormat, fileName, mboxEntry } from './export-files.js';
import { ImportFiles } from './import-files.js';
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

  describe('that are imported', () => {
    const content = '{"id":"1"}\n';
    const whole = {
      format: exportFormat,
      workspace: { id: newId('ten'), name: 'acme' },
      files: [
        { path: 'mail/labels.ndjson', sha256: createHash('sha256').update(content).digest('hex') },
      ],
    };
    const exported = async (manifest: object | null, labels: string | null = content) => {
      const folder = await mkdtemp(join(tmpdir(), 'postroom-export-'));
      await mkdir(join(folder, 'mail'));
      if (labels !== null) await writeFile(join(folder, 'mail/labels.ndjson'), labels);
      if (manifest) await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
      try {
        return await ImportFiles.in(folder);
      } finally {
        await rm(folder, { recursive: true });
      }
    };

    it('are taken whole', async () => {
      expect((await exported(whole)).workspace).toEqual(whole.workspace);
    });

    it.each<[string, () => Promise<ImportFiles>]>([
      ['has no manifest.json: the export was cut off', () => exported(null)],
      [
        'mail/labels.ndjson in ".*" is not what was exported',
        () => exported(whole, `${content}{}`),
      ],
      ['mail/labels.ndjson is missing', () => exported(whole, null)],
      ['a newer version \\(format 3\\)', () => exported({ ...whole, format: 3 })],
      ['an older version \\(format 1\\)', () => exported({ ...whole, format: 1 })],
      ['"x" is no id', () => exported({ ...whole, workspace: { id: 'x', name: 'acme' } })],
      ['is in no export', () => exported({ ...whole, files: [{ path: '../passwd', sha256: '' }] })],
    ])('are refused otherwise: %s', async (why, taken) => {
      await expect(taken()).rejects.toThrow(new RegExp(why));
    });
  });
});
