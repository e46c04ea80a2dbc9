import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@postroom/contracts';
import { accessSchema } from '@postroom/gateway';
import { blobsSchema } from '@postroom/persistence';
import { createTestDatabase, type TestDatabase } from '@postroom/testing';
import { Client } from 'pg';
import { exportFormat } from './export-files.js';
import { ImportFiles } from './import-files.js';
import { importTables } from './import-tables.js';

const tenantId = newId('ten');
const createdAt = '2026-11-25T00:00:00Z';
const tenants = { tenant_id: tenantId, name: 'acme', created_at: createdAt };
const member = {
  ...{ tenant_id: tenantId, id: newId('mbr'), email: 'a@acme.test', name: 'A', role: 'admin' },
  ...{ can_approve: true, created_at: createdAt },
};

/** A folder of an export whose manifest somebody has made for it. */
describe('the tables of an export that was made by hand', () => {
  let database: TestDatabase<'access' | 'blobs'>;
  let client: Client;
  let folder: string;

  beforeAll(async () => {
    database = await createTestDatabase([accessSchema, blobsSchema]);
    client = new Client({ connectionString: database.adminUrl });
    await client.connect();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-import-'));
    await client.query('BEGIN');
  });
  afterEach(async () => {
    await client.query('ROLLBACK');
    await rm(folder, { recursive: true, force: true });
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  async function imported(given: Readonly<Record<string, object>>) {
    const at = join(folder, 'export');
    const files = [];
    for (const [path, row] of Object.entries({ 'access/tenants.ndjson': tenants, ...given })) {
      const line = `${JSON.stringify(row)}\n`;
      await mkdir(dirname(join(at, path)), { recursive: true });
      await writeFile(join(at, path), line);
      files.push({ path, sha256: createHash('sha256').update(line).digest('hex') });
    }
    const manifest = { format: exportFormat, workspace: { id: tenantId, name: 'acme' }, files };
    await writeFile(join(at, 'manifest.json'), JSON.stringify(manifest));
    return importTables(client, await ImportFiles.in(at), 'acme');
  }

  it('are taken where an export has them', async () => {
    expect(await imported({ 'access/members.ndjson': member })).toEqual({
      ...{ 'access.tenants': 1, 'access.members': 1 },
    });
  });

  it.each([
    'access/sessions.ndjson',
    'access/invitations.ndjson',
    'access/audit_records.ndjson',
    'access/outbox.ndjson',
    'blobs/chunks.ndjson',
    'access/nothing.ndjson',
  ])('are refused where no export has them: %s', async (path) => {
    await expect(imported({ [path]: { tenant_id: tenantId } })).rejects.toThrow(
      `${path} is in no export of this version.`,
    );
  });

  it.each(['password_hash', 'nothing'])(
    'are refused with a column of no export: %s',
    async (name) => {
      const row = { ...member, [name]: 'x' };
      await expect(imported({ 'access/members.ndjson': row })).rejects.toThrow(
        `access.members.${name} is in no export of this version.`,
      );
    },
  );

  it.each(['../outside.ndjson', 'access/../../outside.ndjson'])(
    'are refused in another folder: %s',
    async (path) => {
      await expect(imported({ [path]: tenants })).rejects.toThrow(`"${path}" is in no export.`);
    },
  );
});
