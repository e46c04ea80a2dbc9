import { lookupRole } from './service-schema.js';

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
