import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storingServiceNames, variablePrefix, type SchemaName } from '@postroom/contracts';
import { createTestDatabase, ScriptedSmtp, type TestDatabase } from '@postroom/testing';
import { Client } from 'pg';
import { schemas } from '../../database.js';
import { clockFindings } from './check-databases.js';
import { certificateFindings } from './check-outside.js';
import { findingsOf } from './finding.js';
import { doctor } from './doctor.js';

describe('postroom doctor', () => {
  let database: TestDatabase<SchemaName>;
  let mailServer: ScriptedSmtp;
  beforeAll(async () => {
    database = await createTestDatabase(schemas);
    mailServer = await ScriptedSmtp.listen();
  });
  afterAll(async () => {
    await mailServer.close();
    await database.drop();
  });

  const urls = (): NodeJS.ProcessEnv =>
    Object.fromEntries(
      storingServiceNames.map((name) => [
        `${variablePrefix(name)}_DATABASE_URL`,
        database.urls[name],
      ]),
    );
  const said = async (env: NodeJS.ProcessEnv): Promise<string> => {
    const POSTROOM_DATA_DIR = '/nowhere';
    const line = { rest: [], options: {}, env: { ...urls(), POSTROOM_DATA_DIR, ...env } };
    return doctor.run(line).then(
      (lines) => lines.join('\n'),
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  };

  it('finds nothing wrong where nothing is, and says what it could not look at', async () => {
    const text = await said({
      DATABASE_URL: database.adminUrl,
      OUTGOING_SMTP_URL: mailServer.url,
    });
    for (const name of storingServiceNames)
      expect(text).toMatch(new RegExp(`^ok {7}database ${name}: PostgreSQL \\d+, migrated$`, 'm'));
    expect(text).toMatch(/^ok {7}outgoing mail: the server takes us$/m);
    expect(text).toMatch(/^ok {7}mail domains: no workspace has one$/m);
    expect(text).toMatch(/^skipped {2}topics: no KAFKA_BROKERS/m);
    expect(text).toMatch(/Nothing is wrong\.$/);
  });

  it('names every setting that is wrong, and shows no secret', async () => {
    const text = await said({ PORT: 'x', KAFKA_TLS: 'maybe', SECRETS_KEYS: 'canary' });
    expect(text).toMatch(/^wrong {4}PORT: is "x"\n +Allowed: a whole number/m);
    expect(text).toMatch(/^wrong {4}KAFKA_TLS: /m);
    expect(text).toMatch(/^wrong {4}SECRETS_KEYS: /m);
    expect(text).not.toContain('canary');
  });

  it('tells of what does not answer, and of a database that is not migrated, and what to do', async () => {
    const admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
    const { rows } = await admin.query<{ name: string }>(
      `DELETE FROM mail.migrations WHERE name = (SELECT max(name) FROM mail.migrations) RETURNING name`,
    );
    const text = await said({
      SCHEDULING_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      KAFKA_BROKERS: '127.0.0.1:1',
      OUTGOING_SMTP_URL: 'smtp://127.0.0.1:1',
      PUBLIC_URL: 'http://nowhere.invalid',
    });
    expect(text).toMatch(/^wrong {4}database mail: The database lacks 1 of the migrations/m);
    expect(text).toMatch(
      /^wrong {4}database scheduling: .*ECONNREFUSED[^]*?See whether PostgreSQL/m,
    );
    expect(text).toMatch(/^wrong {4}topics: [^]*?See KAFKA_BROKERS/m);
    expect(text).toMatch(/^wrong {4}outgoing mail: /m);
    expect(text).toMatch(/^wrong {4}name of PUBLIC_URL: .*nowhere\.invalid/m);
    expect(text).toMatch(/5 wrong\.$|6 wrong\.$/);
    await admin.query('INSERT INTO mail.migrations (name) VALUES ($1)', [rows[0]?.name]);
    await admin.end();
  });

  it('tells of a clock that is off, and of a certificate that ends', () => {
    expect(clockFindings(900)).toEqual([]);
    expect(clockFindings(-600_000)).toMatchObject([
      { state: 'warning', says: 'its clock is 600.0 s behind ours' },
    ]);
    const day = 86_400_000;
    expect(certificateFindings(15 * day, 0)).toMatchObject([{ state: 'ok' }]);
    expect(certificateFindings(3 * day, 0)).toMatchObject([
      { state: 'warning', advice: 'Renew the certificate.' },
    ]);
  });

  it('waits for no check for ever', async () => {
    const check = { about: 'it', advice: 'Look.', run: () => new Promise<never>(() => undefined) };
    expect(await findingsOf(check)).toEqual([
      { state: 'wrong', about: 'it', says: 'no answer in 10 s', advice: 'Look.' },
    ]);
  });
});
