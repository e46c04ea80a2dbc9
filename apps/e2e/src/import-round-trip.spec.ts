// tags: kafka
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { whereThere } from '@postroom/testing';
import { sharedProductFile } from './config.js';

const corpus = fileURLToPath(new URL('../../../../shared/corpus/mail/', import.meta.url));
const script = fileURLToPath(new URL('../python/round_trip.py', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;
const missing = [
  ...(existsSync(corpus) ? [] : ['the corpus (../shared/corpus/mail beside the repository)']),
  ...(hasPython ? [] : ['python3']),
];

interface ReadBackMessage {
  readonly files: number;
  readonly first: Readonly<Record<'imported' | 'duplicates', number>>;
  readonly messages: number;
}

const needed = { missing: missing.length === 0 ? null : missing.join(', ') };
whereThere(needed, describe)('real mail, imported by a client in Python as an mbox file', () => {
  it('is shown with its subjects, addresses, texts and files, each message once', async () => {
    const run = promisify(execFile)('python3', [script, sharedProductFile(), corpus]);
    const told = JSON.parse((await run).stdout) as ReadBackMessage;
    const { files, first, messages } = told;
    expect(told).toMatchObject({
      first: { unparsed: 0 },
      again: { imported: 0, duplicates: files, unparsed: 0 },
      differences: {},
    });
    expect(first.imported + first.duplicates).toBe(files);
    expect(messages).toBe(first.imported);
  });
});
