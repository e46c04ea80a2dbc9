import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { root } from '../run/child.mjs';

const cwd = join(root, 'tools/walls/fixtures');

/** The imports of the fixtures that a real configuration refuses, as `rule: file → import`. */
async function violations(config, ...folders) {
  const cruiser = join(root, 'node_modules/.bin/depcruise');
  const args = [cruiser, '--config', join(root, config), '--output-type', 'json', ...folders];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, maxBuffer: 2 ** 27 });
  const { summary } = JSON.parse(stdout);
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`).sort();
}

describe('inside an app', () => {
  it('refuses a way past an index, a cycle, an orphan and an import that is not found', async () => {
    expect(await violations('.dependency-cruiser.cjs', 'apps/shop')).toEqual([
      'feature-through-its-index: apps/shop/src/orders/title.ts → apps/shop/src/customers/customer.ts',
      'library-through-its-exports: apps/shop/src/orders/parcel.ts → libs/paper/src/sheet.ts',
      'no-cycles: apps/shop/src/orders/price.ts → apps/shop/src/orders/tax.ts',
      'no-orphans: apps/shop/src/orders/forgotten.ts → apps/shop/src/orders/forgotten.ts',
      'resolvable: apps/shop/src/orders/forgotten.ts → ./missing.js',
      'testing-for-specs: apps/shop/src/customers/customer.ts → apps/shop/src/testing/callers.ts',
    ]);
  });

  it('refuses a way from access to the edge of the gateway, and from the edge to tables', async () => {
    expect(await violations('.dependency-cruiser.cjs', 'apps/gateway', 'libs/persistence')).toEqual(
      [
        'gateway-edge-without-tables: apps/gateway/src/edge/route.ts → libs/persistence/src/index.ts',
        'gateway-floors: apps/gateway/src/access/keys.ts → apps/gateway/src/edge/index.ts',
      ],
    );
  });
});

describe('in a thread', () => {
  it('refuses a framework that is reached, and takes an import of its types', async () => {
    expect(await violations('tools/walls/threads.cjs', 'apps')).toEqual([
      'threads-load-no-framework: apps/shop/src/orders/pack.worker.ts → ../../../node_modules/@nestjs/common/index.js',
      'threads-load-no-orm: apps/shop/src/orders/pack.worker.ts → ../../../node_modules/typeorm/index.d.ts',
    ]);
  });
});
