import { expect } from '@jest/globals';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Compares a published surface with its golden file, so that a change of contract is a diff that
 * someone reads. `UPDATE_GOLDENS=1` writes the file instead; commit it with the reason.
 */
export function expectGolden(name: string, actual: string): void {
  const file = new URL(`../golden/${name}`, import.meta.url);
  if (process.env.UPDATE_GOLDENS === '1') {
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, actual);
  }
  expect(actual).toBe(readFileSync(file, 'utf8'));
}
