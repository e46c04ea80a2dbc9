import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditVerdict } from '@postroom/contracts';
import { Pieces } from '@postroom/limits';
import type { Reading } from '@postroom/operations';
import { ConfigError } from '@postroom/service';
import { connectAccess } from '../entities.js';
import { Gateway, type SomeWorkspace } from '../../testing/gateway.js';
import { limits } from '../../limits.js';
import { AuditChain } from './audit-chain.js';
import { verifyChain, type AuditStep } from './verify-audit.js';

const older = 'a key that seals the audit of specs';
const newer = 'another key that seals the audit';

describe('a change of the key of the audit', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;

  beforeAll(async () => {
    gateway = await Gateway.start({ AUDIT_KEY: older });
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    workspace = await gateway.workspace();
  });

  const changes = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++)
      await gateway.settings(workspace.admin, 'PUT', '/send-switch', { open: i % 2 === 0 });
    await gateway.sealed(workspace);
  };
  const verify = async (): Promise<AuditVerdict> =>
    JSON.parse(
      (await gateway.settings(workspace.admin, 'GET', '/audit/verify')).text,
    ) as AuditVerdict;
  /** The result of verification with these keys alone. */
  const verifiedWith = async (keys: string): Promise<AuditStep> => {
    const database = await connectAccess(gateway.database.urls.access);
    const context: Pick<Reading, 'tenantId' | 'rows'> = {
      tenantId: workspace.id,
      rows: (statement, values) => database.rows(statement, [workspace.id, ...values]),
    };
    const step = await verifyChain(context, {
      ...{ chain: new AuditChain(keys), after: 0 },
      pieces: new Pieces(limits.pieces),
    });
    await database.close();
    return step;
  };

  it('goes on with the first, and verifies links and heads of all', async () => {
    await changes(2);
    await gateway.restart({ AUDIT_KEY: `${older}, ${newer}` });
    await changes(1);
    expect(await verifiedWith(older)).toMatchObject({ ok: true, entries: 3 });
    await gateway.restart({ AUDIT_KEY: `${newer},${older}` });
    expect(await verify()).toMatchObject({ ok: true, entries: 3 });
    await changes(2);
    expect(await verify()).toMatchObject({ ok: true, entries: 5 });
    expect(await verifiedWith(older)).toMatchObject({ ok: false, entries: 3 });
    expect(await verifiedWith(newer)).toMatchObject({ ok: false, entries: 0 });
    await gateway.rows(
      `UPDATE audit_entries SET action = 'x' WHERE tenant_id = $1 AND position = 2`,
      [workspace.id],
    );
    expect(await verify()).toMatchObject({ ok: false, entries: 1 });
  });

  it('keeps the old one: without it no gateway starts, and it is said since when it was used', async () => {
    const starting = gateway.create({ AUDIT_KEY: newer });
    await expect(starting).rejects.toBeInstanceOf(ConfigError);
    await expect(starting).rejects.toThrow(/AUDIT_KEY lacks the key used since \d{4}-\d\d-\d\d/);
  });

  it('can be given up before the new one was used', async () => {
    const unused = 'a key that makes no links at all';
    await (await gateway.create({ AUDIT_KEY: `${newer},${older},${unused}` })).close();
    await (await gateway.create({ AUDIT_KEY: `${newer},${older}` })).close();
  });

  it('knows the key of chains from before keys were noted', async () => {
    await changes(1);
    await gateway.stop();
    await gateway.rows('DELETE FROM audit_keys');
    await gateway.rows('DELETE FROM audit_heads WHERE tenant_id <> $1', [workspace.id]);
    await expect(gateway.create({ AUDIT_KEY: older })).rejects.toThrow(
      'AUDIT_KEY lacks the key used until now',
    );
    // The older key is in front now, and what the newer one has made is known all the same.
    await (await gateway.create({ AUDIT_KEY: `${older},${newer}` })).close();
    for (const keys of [older, newer])
      await expect(gateway.create({ AUDIT_KEY: keys })).rejects.toBeInstanceOf(ConfigError);
    await gateway.open({ AUDIT_KEY: `${newer},${older}` });
  });
});
