import { Client } from 'pg';
import { codeOf, messageOf, SetupError } from '@postroom/service/setup-error';

/** The oldest PostgreSQL that Postroom runs on. */
export const oldestMajor = 15;

/** The extensions that provisioning makes (`libs/persistence`, provision.ts). */
export const extensions = ['btree_gin', 'citext', 'pg_trgm', 'unaccent'] as const;

interface Facts {
  version: string;
  major: number;
  encoding: string;
  readOnly: boolean;
  rolesAllowed: boolean;
  schemasAllowed: boolean;
  icu: boolean;
  missing: string[];
  user: string;
  database: string;
}

const readFacts = `
  SELECT current_setting('server_version') AS version,
         current_setting('server_version_num')::int / 10000 AS major,
         current_setting('server_encoding') AS encoding,
         current_setting('transaction_read_only') = 'on' AS "readOnly",
         (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) AS "rolesAllowed",
         has_database_privilege(current_database(), 'CREATE') AS "schemasAllowed",
         EXISTS (SELECT FROM pg_collation WHERE collname = 'fr-x-icu') AS icu,
         ARRAY(SELECT wanted FROM unnest($1::text[]) AS wanted
               WHERE wanted NOT IN (SELECT name FROM pg_available_extensions)) AS missing,
         quote_ident(current_user) AS user,
         quote_ident(current_database()) AS database`;

/**
 * Resolves when the server behind an administrator's URL is one that Postroom can be installed on.
 * @param source what the person who has to act knows the URL by, e.g. `DATABASE_URL`
 * @throws SetupError with every fault at once
 */
export async function checkServer(adminUrl: string, source: string): Promise<void> {
  const facts = await askServer(adminUrl, source);
  const faults = facts === undefined ? ['the server gave no answer.'] : faultsIn(facts);
  if (faults.length === 0) return;
  throw new SetupError(
    [`${source} cannot be used:`, ...faults.map((fault) => `  - ${fault}`)].join('\n'),
  );
}

async function askServer(adminUrl: string, source: string): Promise<Facts | undefined> {
  try {
    const client = new Client({ connectionString: adminUrl, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<Facts>(readFacts, [extensions]);
      return rows[0];
    } finally {
      await client.end();
    }
  } catch (error) {
    throw new SetupError(
      `${source} cannot be used: ${messageOf(error)}. ${hints[codeOf(error) ?? ''] ?? unreachable}`,
      { cause: error },
    );
  }
}

const wrongPassword = 'Check the user name and the password in the URL.';
const hints: Partial<Record<string, string>> = {
  '28P01': wrongPassword,
  '28000': wrongPassword,
  '3D000': 'Create the database first (CREATE DATABASE).',
  ERR_INVALID_URL: 'It has the form postgres://user:password@host:5432/database.',
};
const unreachable = 'Check that PostgreSQL runs there and accepts connections from this machine.';

function faultsIn(facts: Facts): string[] {
  const { user, database, missing } = facts;
  const checks: [fails: boolean, fault: string][] = [
    [
      facts.major < oldestMajor,
      `it is PostgreSQL ${facts.version}; version ${oldestMajor} or later is needed.`,
    ],
    [facts.readOnly, 'it accepts no writes (a standby?): give the URL of the primary.'],
    [
      !facts.rolesAllowed,
      `${user} may not create roles: a superuser runs ALTER ROLE ${user} CREATEROLE;`,
    ],
    [
      !facts.schemasAllowed,
      `${user} may not create schemas: the database's owner runs ` +
        `GRANT CREATE ON DATABASE ${database} TO ${user};`,
    ],
    [
      facts.encoding !== 'UTF8',
      `its encoding is ${facts.encoding}: create the database with ENCODING 'UTF8'.`,
    ],
    [!facts.icu, 'it was built without ICU, which French sorting needs: use a build that has it.'],
    [
      missing.length > 0,
      `the extensions ${missing.join(', ')} are not available: ` +
        'install the contrib package of the server (e.g. postgresql-contrib).',
    ],
  ];
  return checks.filter(([fails]) => fails).map(([, fault]) => fault);
}
