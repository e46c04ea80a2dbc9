import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { root } from '../run/child.mjs';

const config = join(root, '.dependency-cruiser.cjs');

/** What the real configuration refuses in a tree, as `rule: file → import`. */
async function violations(cwd, ...folders) {
  const cruiser = join(root, 'node_modules/.bin/depcruise');
  const args = [cruiser, '--config', config, '--output-type', 'json', ...folders];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, maxBuffer: 2 ** 27 });
  const { summary } = JSON.parse(stdout);
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`).sort();
}

describe('inside an app', () => {
  it('refuses a way past an index, a cycle, an orphan and an import that is not found', async () => {
    expect(await violations(join(root, 'tools/walls/fixtures'), 'apps')).toEqual([
      'feature-through-its-index: apps/shop/src/orders/title.ts → apps/shop/src/customers/customer.ts',
      'no-cycles: apps/shop/src/orders/price.ts → apps/shop/src/orders/tax.ts',
      'no-orphans: apps/shop/src/orders/forgotten.ts → apps/shop/src/orders/forgotten.ts',
      'resolvable: apps/shop/src/orders/forgotten.ts → ./missing.js',
      'testing-for-specs: apps/shop/src/customers/customer.ts → apps/shop/src/testing/callers.ts',
    ]);
  });
});
