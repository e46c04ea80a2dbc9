/** A change of a schema's tables: statements that run once, and never change once they have landed. */
export interface Migration {
  /** Unique in its schema: the day it was written, and what it does (`2026-11-28-init-mail`). */
  readonly name: string;
  readonly sql: string;
}

/** A `.sql` file that is in no folder. */
export interface MadeFile {
  readonly path: string;
  readonly text: string;
}

/** A service's part of the database: one schema, one login role `postroom_<name>` that sees it. */
export interface ServiceSchema<Name extends string = string> {
  /** Lower-case letters, digits and underscores: the schema's name. */
  readonly name: Name;
  /** Tables, types, indexes, policies and grants, in the order in which they run. The first makes the tables. */
  readonly migrations: readonly Migration[];
  /** Folders whose `.sql` files, at any depth, hold the functions and triggers (`SqlFile`). */
  readonly sql?: readonly URL[];
  /** Further such files, whose text is made from a declaration. */
  readonly made?: readonly MadeFile[];
}

/** The role that a service signs in as. It sees its own schema, under row-level security. */
export const serviceRole = (schema: string): string => `postroom_${schema}`;

/**
 * The role that owns a schema's SECURITY DEFINER functions: it cannot sign in, and reads what
 * migrations grant and open to it with policies of its own.
 */
export const lookupRole = (schema: string): string => `postroom_${schema}_lookup`;

const forceRowSecurity = (table: string): string => `
  ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
  ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
`;

/** The policy of a table with a `tenant_id`: rows of the transaction's tenant only, for its owner too. */
export const tenantPolicy = (table: string): string => `
  ${forceRowSecurity(table)}
  CREATE POLICY tenant ON ${table}
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));
`;

/** Like {@link tenantPolicy}, for a table whose rows are added and read, and never change. */
export const appendOnlyTenantPolicy = (table: string): string => `
  ${forceRowSecurity(table)}
  CREATE POLICY tenant ON ${table} FOR SELECT
    USING (tenant_id = current_setting('postroom.tenant', true));
  CREATE POLICY tenant_adds ON ${table} FOR INSERT
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));
`;

/** Shows a table's rows of every tenant to the schema's look-up role. */
export const lookupPolicy = (schema: string, table: string, privileges = 'SELECT'): string => `
  GRANT ${privileges} ON ${table} TO ${lookupRole(schema)};
  CREATE POLICY lookup ON ${table} TO ${lookupRole(schema)} USING (true);
`;

/** The policy of a table without tenants: the service reaches it only through functions of the look-up role. */
export const functionsOnly = (schema: string, table: string, privileges: string): string =>
  forceRowSecurity(table) + lookupPolicy(schema, table, privileges);
