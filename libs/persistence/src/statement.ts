/** A column's instant as answers show it, made by the query: ISO 8601 in UTC with milliseconds. */
export const instant = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * A named prepared statement, which PostgreSQL parses and plans once per connection. PostgreSQL knows it
 * by its name, so no two texts may share one. `R` is the type of a row.
 */
export interface Statement<R extends object> {
  readonly name: string;
  readonly text: string;
  /** Carries `R` for type inference; never set. */
  readonly row?: R;
}

const names = new Set<string>();

/** Declares a statement; the first parameter of a statement on tenant data is the tenant. */
export function statement<R extends object>(name: string, text: string): Statement<R> {
  if (names.has(name)) throw new Error(`two statements are named ${name}`);
  if (name.length > 63) throw new Error(`statement name ${name} is longer than 63 characters`);
  names.add(name);
  return { name, text };
}
