// Loaded by a thread that a spec starts: the spec's own modules are loaded by tools/jest/runtime.mjs.
import { registerHooks } from 'node:module';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';
import { resolveToSource } from './source-resolve.mjs';
import { swcOptions } from './swc-options.mjs';

registerHooks({
  resolve: resolveToSource,
  load(url, context, next) {
    if (!url.endsWith('.ts')) return next(url, context);
    const filename = fileURLToPath(url);
    const options = { ...swcOptions, filename, sourceMaps: 'inline' };
    const { code } = transformSync(readFileSync(filename, 'utf8'), options);
    return { format: 'module', source: code, shortCircuit: true };
  },
});
