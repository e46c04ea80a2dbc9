import type { EntityManager } from 'typeorm';

class Managed {
  constructor(private readonly make: () => EntityManager) {}

  get manager(): EntityManager {
    return this.make();
  }
}

/**
 * An object with a manager that is made when it is asked for.
 *
 * The getter is a class's: to an object with a getter of its own V8 gives a hidden class of its own, in
 * the old space, that names the getter, and all that is reached from there, a whole request, stays alive
 * until the next full collection (docs/benchmarks.md).
 */
export const withManager = <T extends object>(
  make: () => EntityManager,
  rest: T,
): T & Pick<Managed, 'manager'> => Object.assign(new Managed(make), rest);
