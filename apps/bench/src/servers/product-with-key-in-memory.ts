import { Database, type Statement } from '@postroom/persistence';
import { serve } from './serve.js';
import { startProduct } from './start-product.js';

/**
 * The product with its guards, but for the database trip of the key's look-up: the row of a key is
 * asked for once. What the checks themselves cost; no server that may be run, a change of the key
 * would never be seen.
 */
serve((setup) => {
  const rows = Reflect.get(Database.prototype, 'rows');
  const found = new Map<unknown, Promise<object[]>>();
  const remembered = function (
    this: Database,
    statement: Statement<object>,
    values: readonly unknown[],
  ): Promise<object[]> {
    if (statement.name !== 'access.find_key') return rows.call(this, statement, values);
    const known = found.get(values[0]) ?? rows.call(this, statement, values);
    found.set(values[0], known);
    return known;
  };
  Reflect.set(Database.prototype, 'rows', remembered);
  return startProduct(setup);
});
