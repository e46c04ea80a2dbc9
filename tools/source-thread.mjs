// Loaded by a thread that a spec starts: the spec's own modules are loaded by tools/jest/runtime.mjs.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import { resolveToSource } from './source-resolve.mjs';
import { swcOptions } from './swc-options.mjs';

const require = createRequire(import.meta.url);
/** The folder of this run of Jest: a run starts hundreds of threads that load the same modules. */
const { POSTROOM_TEST_RUN: run } = process.env;
const compiled = run && join(run, 'compiled');
if (compiled) {
  mkdirSync(compiled, { recursive: true });
  enableCompileCache(join(run, 'v8'));
}

registerHooks({
  resolve: resolveToSource,
  load(url, context, next) {
    if (!url.endsWith('.ts')) return next(url, context);
    return { format: 'module', source: compiledOnce(url), shortCircuit: true };
  },
});

function compiledOnce(url) {
  if (!compiled) return compile(url);
  const kept = join(compiled, createHash('sha256').update(url).digest('hex'));
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const code = compile(url);
    const own = `${kept}.${process.pid}.${threadId}`;
    writeFileSync(own, code);
    renameSync(own, kept);
    return code;
  }
}

function compile(url) {
  const filename = fileURLToPath(url);
  const options = { ...swcOptions, filename, sourceMaps: 'inline' };
  return require('@swc/core').transformSync(readFileSync(filename, 'utf8'), options).code;
}
