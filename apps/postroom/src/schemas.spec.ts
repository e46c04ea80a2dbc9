import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lookupRole, serviceRole } from '@postroom/persistence/provision';
import { schemas } from './database.js';
import { openAllSchemas, type AllSchemas } from './testing/all-schemas.js';

const names = schemas.map(({ name }) => name);
const bookkeeping = ['migrations', 'sql_files'];

let all: AllSchemas;

beforeAll(async () => {
  all = await openAllSchemas();
});
afterAll(() => all.close());

async function rows<R extends object>(sql: string, ...values: unknown[]): Promise<R[]> {
  return (await all.admin.query<R>(sql, values)).rows;
}

const countOf = async (sql: string, ...values: unknown[]): Promise<number | undefined> =>
  (await rows<{ n: number }>(`SELECT count(*)::int AS n FROM (${sql}) counted`, ...values))[0]?.n;

describe.each(names)('the schema %s', (schema) => {
  const [service, lookup] = [serviceRole(schema), lookupRole(schema)];

  it('forces row-level security on every table, and shows rows of its tenant only', async () => {
    const tables = `SELECT c.oid, c.relname::text AS table, c.relrowsecurity AND c.relforcerowsecurity AS forced,
        EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id') AS "ofTenant"
      FROM pg_class c WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
        AND c.relname <> ALL ($2)`;
    const found = await rows<{ forced: boolean }>(tables, schema, bookkeeping);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(({ forced }) => !forced)).toEqual([]);

    const policies = await rows<{ roles: string; table: string; rule: string }>(
      `SELECT tablename AS table, roles::text, concat_ws(' / ', qual, with_check) AS rule
       FROM pg_policies WHERE schemaname = $1 AND permissive = 'PERMISSIVE'`,
      schema,
    );
    const own = `(tenant_id = current_setting('postroom.tenant'::text, true))`;
    for (const { roles, rule, table } of policies) {
      const allowed = roles === `{${lookup}}` ? ['true'] : [own, `${own} / ${own}`];
      expect({ table, rule, ok: allowed.includes(rule) }).toEqual({ table, rule, ok: true });
    }
    const shown = new Set(policies.filter(({ roles }) => roles === '{public}').map((p) => p.table));
    const ofTenants = await rows<{ table: string }>(
      `SELECT * FROM (${tables}) t WHERE t."ofTenant"`,
      schema,
      bookkeeping,
    );
    expect(ofTenants.filter(({ table }) => !shown.has(table))).toEqual([]);
  });

  it('has definer functions of the look-up role alone, whose search path ends in pg_temp', async () => {
    const functions = await rows<{ definer: boolean; owner: string; path: string | null }>(
      `SELECT p.oid::regprocedure::text AS function, p.prosecdef AS definer, o.rolname AS owner,
         (SELECT substr(c, 13) FROM unnest(p.proconfig) c WHERE c LIKE 'search_path=%') AS path
       FROM pg_proc p JOIN pg_roles o ON o.oid = p.proowner WHERE p.pronamespace = $1::regnamespace`,
      schema,
    );
    const path = `${schema}, public, pg_temp`;
    const isRight = ({ definer, owner, path: its }: (typeof functions)[number]): boolean =>
      definer ? owner === lookup && its === path : owner !== lookup && (its ?? path) === path;
    expect(functions.some(({ definer }) => definer)).toBe(true);
    expect(functions.filter((one) => !isRight(one))).toEqual([]);
  });

  it('has no function that takes an advisory lock, which the role of another service could hold', async () => {
    const functions = 'SELECT FROM pg_proc WHERE pronamespace = $1::regnamespace AND prosrc ~ $2';
    expect(await countOf(functions, schema, 'pg_(try_)?advisory')).toBe(0);
  });

  it('belongs to the administrator, and is open to its two roles alone', async () => {
    const others = await rows(
      `SELECT c.relname, o.rolname AS owner, g.grantee::regrole::text, g.privilege_type
       FROM pg_class c JOIN pg_roles o ON o.oid = c.relowner
       LEFT JOIN LATERAL aclexplode(c.relacl) g ON true
       WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'S')
         AND (o.rolname <> current_user OR g.is_grantable AND g.grantee <> c.relowner
           OR g.grantee NOT IN (c.relowner, $2::regrole, $3::regrole))`,
      ...[schema, service, lookup],
    );
    expect(others).toEqual([]);
    expect(
      await rows(
        `SELECT nspname::text AS schema, has_schema_privilege($1, n.oid, 'USAGE') AS "serviceUses",
           has_schema_privilege($2, n.oid, 'USAGE') AS "lookupUses",
           has_schema_privilege($1, n.oid, 'CREATE') OR has_schema_privilege($2, n.oid, 'CREATE') AS makes
         FROM pg_namespace n WHERE nspname = ANY ($3) ORDER BY nspname <> $4, nspname`,
        ...[service, lookup, names, schema],
      ),
    ).toEqual(
      [schema, ...names.filter((name) => name !== schema).toSorted()].map((name) => ({
        ...{ schema: name, makes: false },
        ...{ serviceUses: name === schema, lookupUses: name === schema },
      })),
    );
  });

  it('has a look-up role that nobody can sign in as or be, and that passes no policy', async () => {
    expect(
      await rows(
        `SELECT rolcanlogin OR rolsuper OR rolbypassrls OR rolcreaterole AS can,
           pg_has_role($2, oid, 'MEMBER') AS "serviceIs" FROM pg_roles WHERE rolname = $1`,
        ...[lookup, service],
      ),
    ).toEqual([{ can: false, serviceIs: false }]);
  });

  it('lets its service change no record of what has been applied', async () => {
    for (const table of bookkeeping) {
      for (const right of ['INSERT', 'UPDATE', 'DELETE']) {
        const asked = [service, `${schema}.${table}`, right];
        expect(await countOf('SELECT WHERE has_table_privilege($1, $2, $3)', ...asked)).toBe(0);
      }
    }
  });
});
