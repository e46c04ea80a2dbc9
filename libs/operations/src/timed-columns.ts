import type { MadeFile } from '@postroom/persistence/provision';

/** A column with the time at which something is to happen by itself. */
export interface TimedColumn {
  readonly table: string;
  readonly column: string;
  /**
   * `real`: rows that are due are sought over all workspaces, so the column is of the real time, and the rows of a
   * sandbox become due earlier as its clock is moved. `own`: it is of the workspace's time.
   */
  readonly clock: 'real' | 'own';
  /** Epoch milliseconds instead of a timestamp. */
  readonly isMillis?: boolean;
  /** A condition of the rows `t` that wait for it; all do by default. */
  readonly where?: string;
  /** A condition of the rows `t` that are being worked on, besides those that are due. */
  readonly busy?: string;
  /** False: nothing happens then but that something is no longer good, so that a clock need not stop at it. */
  readonly stops?: boolean;
}

/** Recorded replies are good for 24 hours of the workspace's time. */
const ownColumns: readonly TimedColumn[] = [
  { table: 'replies', column: 'expires_at', clock: 'real', stops: false },
];

/** The functions that move the clock of a sandbox and look what is due, for the `made` of a schema. */
export function timedFunctions(declared: readonly TimedColumn[]): MadeFile {
  const columns = [...ownColumns, ...declared];
  const stops = columns.filter(({ stops: does = true }) => does);
  return {
    path: 'operations/timed-columns.sql',
    text: `
-- Moves the clock of a sandbox forward, and what waits for it; a time that it has reached already changes nothing.
CREATE OR REPLACE FUNCTION move_clock(p_tenant text, p_ahead_ms bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_before bigint;
  v_by interval;
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  INSERT INTO clocks (tenant_id) VALUES (p_tenant) ON CONFLICT DO NOTHING;
  SELECT c.ahead_ms INTO v_before FROM clocks c WHERE c.tenant_id = p_tenant FOR UPDATE;
  IF p_ahead_ms <= v_before THEN RETURN false; END IF;
  v_by := (p_ahead_ms - v_before) * interval '1 ms';
  UPDATE clocks c SET ahead_ms = p_ahead_ms WHERE c.tenant_id = p_tenant;
${columns.map(moved).join('')}  RETURN true;
END $$;

-- When the next thing is due in a sandbox, in epoch milliseconds of its time, and whether something is due or worked on.
CREATE OR REPLACE FUNCTION look_at_clock(p_tenant text)
RETURNS TABLE (ahead_ms float8, next_ms float8, is_busy boolean) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT coalesce((SELECT c.ahead_ms FROM clocks c WHERE c.tenant_id = p_tenant), 0)::float8,
    least(NULL::float8${stops.map((one) => `,\n      (${next(one)})`).join('')}),
    false${stops.map((one) => `\n      OR EXISTS (${worked(one)})`).join('')};
END $$;
`,
  };
}

const timeOf = ({ column, isMillis }: TimedColumn): string =>
  isMillis ? `to_timestamp(t.${column} / 1000.0)` : `t.${column}`;

const nowOf = ({ clock }: TimedColumn): string =>
  clock === 'real' ? 'now()' : 'workspace_now(p_tenant)';

const rowsOf = ({ table, where = 'true' }: TimedColumn): string =>
  `FROM ${table} t WHERE t.tenant_id = p_tenant AND (${where})`;

/** Rows of an own clock are written as they are, where their time passes: triggers that watch the column see it. */
function moved(timed: TimedColumn): string {
  const { table, column, clock, isMillis, where = 'true' } = timed;
  const by = isMillis ? '(p_ahead_ms - v_before)' : 'v_by';
  const time = timeOf(timed);
  const [value, passed] =
    clock === 'real'
      ? [`t.${column} - ${by}`, `${time} > now()`]
      : [`t.${column}`, `${time} > ${nowOf(timed)} - v_by AND ${time} <= ${nowOf(timed)}`];
  return `  UPDATE ${table} t SET ${column} = ${value}
    WHERE t.tenant_id = p_tenant AND ${passed} AND (${where});
`;
}

const next = (timed: TimedColumn): string =>
  `SELECT ceil(extract(epoch FROM min(${timeOf(timed)})${timed.clock === 'real' ? ' + ahead_of(p_tenant)' : ''}) * 1000)::float8
        ${rowsOf(timed)} AND ${timeOf(timed)} > ${nowOf(timed)}`;

const worked = (timed: TimedColumn): string =>
  timed.busy === undefined
    ? `SELECT ${rowsOf(timed)} AND ${timeOf(timed)} <= ${nowOf(timed)}`
    : `SELECT FROM ${timed.table} t WHERE t.tenant_id = p_tenant
        AND (${timed.busy} OR (${timed.where ?? 'true'}) AND ${timeOf(timed)} <= ${nowOf(timed)})`;
