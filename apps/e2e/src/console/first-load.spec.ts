// tags: console
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from '@jest/globals';

const folder = new URL('../../../console/dist/page/', import.meta.url);

type Manifest = Readonly<Record<string, { readonly file: string; readonly imports?: string[] }>>;

it('the first load of the console is at most 250 kB of compressed script', () => {
  const manifest = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')) as Manifest;
  const files = new Set<string>();
  const add = (name: string): void => {
    const chunk = manifest[name];
    if (!chunk || files.has(chunk.file)) return;
    files.add(chunk.file);
    chunk.imports?.forEach(add);
  };
  add('index.html');
  const sizes = [...files].map((file) => gzipSync(readFileSync(new URL(file, folder))).length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(files.size).toBeGreaterThan(0);
  expect(total).toBeLessThan(250_000);
});
