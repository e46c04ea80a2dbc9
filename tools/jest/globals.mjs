// `@jest/globals`, for modules that stay loaded: each name means what Jest has made for the spec
// file that runs.

let current = {};

/** Tests are declared with these from now on. */
export function setGlobals(globals) {
  current = globals;
}

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
