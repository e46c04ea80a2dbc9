// Runs spec files without a realm and a copy of each module for every file (docs/adr/0054). Jest's workers,
// test framework, reporters, timeouts, mocks of functions and fake timers are as they are; with
// environment.mjs, this replaces how it loads files. runtime.spec.mjs shows that what fails still fails.
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import Runtime from 'jest-runtime';
import { resolveToSource } from '../source-resolve.mjs';

const require = createRequire(import.meta.url);

const asModule = {
  supportsDynamicImport: true,
  supportsExportNamespaceFrom: true,
  supportsStaticESM: true,
  supportsTopLevelAwait: true,
};

// Threads that specs start load TypeScript source as well (`threadFile` of libs/service passes it on).
process.execArgv.push(`--import=${new URL('../source-thread.mjs', import.meta.url).href}`);

/** The cached source map of each module that this process has loaded. */
const sourceMaps = new Map();
let transformer;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: import.meta.url, shortCircuit: true };
    return resolveToSource(specifier, context, next);
  },
  load(url, context, next) {
    if (!url.endsWith('.ts')) return next(url, context);
    const { code, sourceMapPath } = transformer.transform(fileURLToPath(url), asModule);
    sourceMaps.set(url, sourceMapPath);
    return { format: 'module', source: code, shortCircuit: true };
  },
});

/**
 * Node itself loads a spec file and what it imports, and a process loads each module once, for all
 * the spec files that it runs (docs/adr/0054). Jest's own runtime loads everything anew for each
 * file, which took half of the time of a file that starts a service.
 */
export default class ProcessRuntime extends Runtime {
  constructor(...given) {
    super(...given);
    [, , , transformer] = given;
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    await import(pathToFileURL(path).href);
  }

  /** Jest's test framework, which keeps the tests of a file in its module and its listeners beside it. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    current = { ...globals, jest: this.jestGlobals.jestObjectFor(this._testPath) };
  }

  getSourceMaps() {
    return sourceMaps;
  }
}

/** The exports of `@jest/globals` in the spec file that runs: modules that stay loaded import it once. */
let current = {};

const currentOne = (name) =>
  new Proxy(() => undefined, {
    apply: (_target, self, given) => Reflect.apply(current[name], self, given),
    get: (_target, key) => Reflect.get(current[name], key),
  });

export const afterAll = currentOne('afterAll');
export const afterEach = currentOne('afterEach');
export const beforeAll = currentOne('beforeAll');
export const beforeEach = currentOne('beforeEach');
export const describe = currentOne('describe');
export const expect = currentOne('expect');
export const it = currentOne('it');
export const jest = currentOne('jest');
