import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Keyring, type SealedColumn } from '@postroom/access';
import { InProcessBus } from '@postroom/bus';
import {
  newId,
  serviceNames,
  storingServiceNames,
  variablePrefix,
  type StoringServiceName,
} from '@postroom/contracts';
import { ConfigError, createLog, Health, Metrics } from '@postroom/service';
import { Client } from 'pg';
import { installed } from '../services.js';
import { doctor } from './doctor/doctor.js';
import { resealSecrets } from './reseal-secrets.js';
import { openAllSchemas, type AllSchemas } from '../testing/all-schemas.js';

const random = (): string => randomBytes(32).toString('base64');
const [k1, k2, k3] = [`k1:${random()}`, `k2:${random()}`, `k3:${random()}`];
const tenantId = newId('ten');

let all: AllSchemas;

beforeAll(async () => {
  all = await openAllSchemas();
});
afterAll(() => all.close());

const urls = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    storingServiceNames.map((name) => [`${variablePrefix(name)}_DATABASE_URL`, all.urls[name]]),
  );

const envWith = (keys: string): NodeJS.ProcessEnv => ({
  ...urls(),
  SECRETS_KEYS: keys,
  POSTROOM_DATA_DIR: '/nowhere',
});

/** Runs the command. @returns its output, and whether it ends well */
const run = (
  keys: string,
  command = resealSecrets,
): Promise<{ readonly ok: boolean; readonly lines: readonly string[] }> =>
  command.run({ rest: [], options: {}, env: envWith(keys) }).then(
    (lines) => ({ ok: true, lines }),
    (error: unknown) => ({ ok: false, lines: String(error).split('\n') }),
  );

/** Every declared column, with the service that it is of. */
const columns = storingServiceNames.flatMap((service) =>
  installed[service].sealed.map((column) => ({ service, column })),
);
const columnsOf = (table: string): SealedColumn[] =>
  columns.map(({ column }) => column).filter((column) => column.table === table);

const sealAll = (keys: string, row: string, table: string): Record<string, unknown> => {
  const own = columnsOf(table);
  const keyring = Keyring.parse(keys, own);
  return Object.fromEntries(
    own.map((column) => {
      const sealed = keyring.encrypt(`${column.column} of ${row}`, column, row);
      return [column.column, column.field === undefined ? sealed : { [column.field]: sealed }];
    }),
  );
};

async function insert(table: string, row: Readonly<Record<string, unknown>>): Promise<void> {
  const names = Object.keys(row);
  await all.admin.query(
    `INSERT INTO ${table} (${names.join()}) VALUES (${names.map((_, at) => `$${at + 1}`).join()})`,
    Object.values(row),
  );
}

const now = new Date();

async function addMailbox(keys: string, more: object = {}): Promise<string> {
  const id = newId('mbx');
  const address = `${id}@acme.test`;
  await insert('mail.mailboxes', {
    ...{ tenant_id: tenantId, id, address, routing_address: address, name: 'Box', version: 1 },
    ...{ automation: false, access: '"workspace"', created_at: now, updated_at: now },
    ...sealAll(keys, id, 'mailboxes'),
    ...more,
  });
  return id;
}

/** The secrets of the account of a mailbox. */
async function addAccount(keys: string): Promise<void> {
  const id = await addMailbox(keys, { outgoing: null, imap: null, dkim: null });
  const of = { tenant_id: tenantId, mailbox_id: id };
  const tokens = sealAll(keys, id, 'mailbox_accounts');
  await insert('mail.mailbox_accounts', { ...of, kind: 'oauth', provider: 'google', ...tokens });
  const grant = { state_hash: id, provider: 'google', login: 'a', session: 's', expires_at: now };
  await insert('mail.oauth_grants', { ...of, ...grant, ...sealAll(keys, id, 'oauth_grants') });
}

async function addSubscription(keys: string): Promise<void> {
  const id = newId('whk');
  await insert('webhooks.subscriptions', {
    ...{ tenant_id: tenantId, id, url: 'https://acme.test/', events: [], description: '' },
    ...{ status: 'active', active_since: now, created_at: now, updated_at: now },
    ...sealAll(keys, id, 'subscriptions'),
  });
}

async function addReceiptKey(keys: string): Promise<void> {
  const kid = newId('key');
  await insert('access.receipt_keys', {
    kid,
    public_jwk: {},
    ...sealAll(keys, kid, 'receipt_keys'),
  });
}

/** The secrets of a member and of its workspace. */
async function addMember(keys: string): Promise<void> {
  const id = newId('mbr');
  await insert('access.tenants', { tenant_id: id, name: id, created_at: now });
  await insert('access.members', {
    ...{ id, tenant_id: id, email: 'robin@acme.test', name: 'Robin', role: 'member' },
    ...{ can_approve: false, created_at: now },
  });
  const factors = sealAll(keys, id, 'second_factors');
  await insert('access.second_factors', { tenant_id: id, member_id: id, ...factors });
  const client = sealAll(keys, id, 'sign_in_settings');
  await insert('access.sign_in_settings', {
    tenant_id: id,
    require_second_factor: false,
    ...client,
  });
}

/** The secrets of all rows, as a keyring opens them. */
async function opened(keys: string): Promise<string[]> {
  const secrets: string[] = [];
  for (const { service, column } of columns) {
    const { table, column: name, field, key } = column;
    const value = field === undefined ? name : `${name}->>'${field}'`;
    const { rows } = await all.admin.query<{ id: string; sealed: string | null }>(
      `SELECT ${key} AS id, ${value} AS sealed FROM ${service}.${table} ORDER BY 1`,
    );
    const ring = Keyring.parse(keys, [column]);
    for (const { id, sealed } of rows)
      if (sealed !== null) secrets.push(ring.decryptText(sealed, column, id));
  }
  return secrets;
}

const start = async (service: StoringServiceName, keys: string): Promise<void> => {
  const key = random();
  const env = {
    ...{ DATABASE_URL: all.urls[service], BLOBS_DATABASE_URL: all.urls.blobs },
    ...{ SECRETS_KEYS: keys, CALLER_KEY: key, AUDIT_KEY: key, PUBLIC_URL: 'http://acme.test' },
    ...Object.fromEntries(serviceNames.map((name) => [`${variablePrefix(name)}_CALLER_KEY`, key])),
  };
  const parts = {
    ...{ bus: new InProcessBus(), log: createLog({ level: 'silent', format: 'json' }) },
    ...{ health: new Health([]), metrics: new Metrics() },
  };
  await (await installed[service].create(env, parts)).close();
  await parts.bus.close();
};

beforeEach(async () => {
  await all.admin.query(
    'TRUNCATE mail.mailboxes, webhooks.subscriptions, access.receipt_keys, access.tenants CASCADE',
  );
});

describe('postroom secrets reseal', () => {
  it('seals every declared column with the first key, says how many, and changes nothing else', async () => {
    await addMailbox(k1);
    await addMailbox(k1, { deleted_at: now, imap: null });
    await addMailbox(k2, { outgoing: { host: 'smtp.test', sealedPassword: null } });
    await addAccount(k1);
    await addSubscription(k1);
    await addReceiptKey(k1);
    await addMember(k1);
    const before = await opened(`${k1},${k2}`);
    const others = 'SELECT id, version, updated_at FROM mail.mailboxes ORDER BY id';
    const { rows: unchanged } = await all.admin.query(others);

    expect(await run(`${k2},${k1}`)).toEqual({
      ok: true,
      lines: [
        'access.receipt_keys.sealed_private_key: 1 of "k1" sealed anew.',
        'access.second_factors.sealed_totp: 1 of "k1" sealed anew.',
        'access.sign_in_settings.sealed_client_secret: 1 of "k1" sealed anew.',
        'mail.mailbox_accounts.tokens: 1 of "k1" sealed anew.',
        'mail.mailboxes.dkim: 2 of "k1" sealed anew.',
        'mail.mailboxes.imap: 1 of "k1" sealed anew.',
        'mail.mailboxes.outgoing: 2 of "k1" sealed anew.',
        'mail.oauth_grants.sealed_verifier: 1 of "k1" sealed anew.',
        'webhooks.subscriptions.sealed_oldest: 1 of "k1" sealed anew.',
        'webhooks.subscriptions.sealed_previous: 1 of "k1" sealed anew.',
        'webhooks.subscriptions.sealed_secret: 1 of "k1" sealed anew.',
        'All secrets are sealed with "k2": no other key is needed.',
      ],
    });
    expect(await opened(k2)).toEqual(before);
    expect((await all.admin.query(others)).rows).toEqual(unchanged);
    expect((await run(`${k2},${k1}`)).lines).toEqual([
      'All secrets are sealed with "k2": no other key is needed.',
    ]);
  });

  it('leaves what somebody writes at that moment, and seals it where it was the older key', async () => {
    const [outgoing] = columnsOf('mailboxes').filter(({ column }) => column === 'outgoing');
    if (!outgoing) throw new Error('it is declared');
    const ids: string[] = [];
    while (ids.length < 3) ids.push(await addMailbox(k1, { imap: null, dkim: null }));
    const write = async (id: string, keys: string): Promise<void> => {
      const sealedPassword = Keyring.parse(keys, [outgoing]).encrypt(`new of ${id}`, outgoing, id);
      const server = { host: 'new.test', sealedPassword };
      await writer.query('UPDATE mail.mailboxes SET outgoing = $2 WHERE id = $1', [id, server]);
    };
    const isWaiting = async (): Promise<boolean> => {
      const { rows } = await all.admin.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    };
    const writer = new Client({ connectionString: all.adminUrl });
    await writer.connect();
    await writer.query('BEGIN');
    for (const [at, id] of ids.entries()) await write(id, at === 1 ? k1 : k2);
    const resealing = run(`${k2},${k1}`);
    while (!(await isWaiting())) await sleep(10);
    await writer.query('COMMIT');
    await writer.end();
    // The second was sealed with the older key, by a service that still has it in front.
    const { ok, lines } = await resealing;
    expect([ok, lines.at(-1)]).toEqual([
      false,
      expect.stringMatching(/^mail\.mailboxes\.outgoing: 1 still need "k1"/),
    ]);
    expect((await run(`${k2},${k1}`)).ok).toBe(true);
    expect((await opened(k2)).toSorted()).toEqual(ids.map((id) => `new of ${id}`).toSorted());
  });

  it('goes on over many batches', async () => {
    for (let i = 0; i < 1_100; i += 1) await addMailbox(k1);
    const { lines } = await run(`${k2},${k1}`);
    expect(lines).toContain('mail.mailboxes.outgoing: 1100 of "k1" sealed anew.');
    expect(await opened(k2)).toHaveLength(3 * 1_100);
  });

  it('says what still needs an older key: one that the ring lacks, or what does not open', async () => {
    await addMailbox(k3);
    const broken = await addMailbox(k1);
    await all.admin.query(
      `UPDATE mail.mailboxes SET imap = jsonb_build_object('sealedPassword', outgoing->>'sealedPassword')
       WHERE id = $1`,
      [broken],
    );
    const { ok, lines } = await run(`${k2},${k1}`);
    expect(ok).toBe(false);
    expect(lines).toEqual(
      expect.arrayContaining([
        'mail.mailboxes.outgoing: 1 still need "k3", which SECRETS_KEYS lacks.',
        expect.stringMatching(
          /^mail\.mailboxes\.imap: 1 still need "k1", since they cannot be opened/,
        ),
      ]),
    );
  });
});

describe('a key that is still needed', () => {
  it('cannot be removed: the services whose secrets need it do not start, and say why', async () => {
    await addMailbox(k1);
    await addSubscription(k1);
    await addReceiptKey(k1);
    const services = new Set(columns.map(({ service }) => service));
    for (const service of services) {
      const starting = start(service, k2);
      await expect(starting).rejects.toBeInstanceOf(ConfigError);
      await expect(starting).rejects.toThrow(
        /SECRETS_KEYS lacks the key "k1", which 1 of \w+\.\w+ are sealed with; .*postroom secrets reseal/,
      );
    }
    const { lines } = await run(k2, doctor);
    expect(lines.join('\n')).toMatch(
      /^wrong {4}secrets of mail: SECRETS_KEYS lacks the key "k1", which 1 of mailboxes\.imap/m,
    );
    expect((await run(`${k2},${k1}`, doctor)).lines.join('\n')).toMatch(
      /secrets of mail: "k1" is still needed; "postroom secrets reseal" ends that/,
    );
    expect((await run(`${k2},${k1}`)).ok).toBe(true);
    for (const service of services) await start(service, k2);
    expect((await run(k2, doctor)).lines.join('\n')).toMatch(
      /^ok {7}secrets of mail: "k2" is the only key that is needed/m,
    );
  });
});
