// Loaded by a thread that a spec starts: Jest transforms the spec's own modules, not a thread's.
import { registerHooks } from 'node:module';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';
import { swcOptions } from './swc-options.mjs';

registerHooks({
  resolve(specifier, context, next) {
    const isBeside = /^\..*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts');
    return next(isBeside ? specifier.replace(/js$/, 'ts') : specifier, {
      ...context,
      conditions: ['@postroom/source', ...context.conditions],
    });
  },
  load(url, context, next) {
    if (!url.endsWith('.ts')) return next(url, context);
    const filename = fileURLToPath(url);
    const options = { ...swcOptions, filename, sourceMaps: 'inline' };
    const { code } = transformSync(readFileSync(filename, 'utf8'), options);
    return { format: 'module', source: code, shortCircuit: true };
  },
});
