import { expect } from '@jest/globals';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

/** The folder of the golden files. */
export const goldenFiles = new URL('../golden/', import.meta.url);

/**
 * Compares a published surface with its golden file, so that a change of contract is a diff that
 * someone reads. `UPDATE_GOLDENS=1` writes the file instead; commit it with the reason.
 */
export function expectGolden(name: string, actual: string, folder = goldenFiles): void {
  const file = new URL(name, folder);
  if (process.env.UPDATE_GOLDENS === '1') {
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, actual);
  }
  expect(actual).toBe(readFileSync(file, 'utf8'));
}
