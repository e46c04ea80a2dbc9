import { isDeepStrictEqual } from 'node:util';

/** Every change changes these fields, and they say nothing about it. */
const stamps = new Set(['updatedAt', 'version']);

/** The `previous` of an event: the old values of the fields that differ between two views of a resource. */
export function previousOf<V extends object>(before: V, after: V): Partial<V> {
  const changed = Object.entries(before).filter(
    ([name, value]) => !stamps.has(name) && !isDeepStrictEqual(value, after[name as keyof V]),
  );
  return Object.fromEntries(changed) as Partial<V>;
}
