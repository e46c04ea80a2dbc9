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
 * The getter is a class's: what a literal with a getter of its own reaches from there, a whole request,
 * stays alive until the next full collection (measured, docs/benchmarks.md; presumably since V8 gives such
 * a literal a hidden class of its own that names the getter).
 */
export const withManager = <T extends object>(
  make: () => EntityManager,
  rest: T,
): T & Pick<Managed, 'manager'> => Object.assign(new Managed(make), rest);
