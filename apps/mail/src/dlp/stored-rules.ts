import { Problem, dlpRulesMax, type DlpRule } from '@postroom/contracts';
import type { Changing, Reading } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';

type Rows = Pick<Reading, 'rows'>;

const columns = `id, name, detector, pattern, action, mailboxes, enabled,
  ${instant('created_at')} AS "createdAt", ${instant('updated_at')} AS "updatedAt", version`;

const list = statement<DlpRule>('dlp.list_rules', `SELECT ${columns} FROM dlp_rules_of($1)`);

const find = statement<DlpRule>(
  'dlp.find_rule',
  `SELECT ${columns} FROM dlp_rules WHERE tenant_id = $1 AND id = $2 FOR UPDATE`,
);

const forMailbox = statement<DlpRule>(
  'dlp.rules_for_mailbox',
  `SELECT ${columns} FROM dlp_rules_of($1)
   WHERE enabled AND (cardinality(mailboxes) = 0 OR $2 = ANY (mailboxes))`,
);

// One writer a workspace at a time, so that the limit on rules holds.
const lock = statement<object>('dlp.lock_rules', `SELECT take_lock('dlp rules ' || $1)`);

const count = statement<{ count: number }>(
  'dlp.count_rules',
  'SELECT count(*)::int AS count FROM dlp_rules WHERE tenant_id = $1',
);

const write = statement<DlpRule>(
  'dlp.write_rule',
  `INSERT INTO dlp_rules AS r (tenant_id, id, name, detector, pattern, action, mailboxes, enabled,
     created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
   ON CONFLICT (tenant_id, id) DO UPDATE SET name = $3, detector = $4, pattern = $5, action = $6,
     mailboxes = $7, enabled = $8, updated_at = $9, version = r.version + 1
   RETURNING ${columns}`,
);

const remove = statement<object>(
  'dlp.remove_rule',
  'DELETE FROM dlp_rules WHERE tenant_id = $1 AND id = $2',
);

const unknownMailboxes = statement<{ place: number }>(
  'dlp.unknown_mailboxes',
  `SELECT (given.place - 1)::int AS place
   FROM unnest($2::text[]) WITH ORDINALITY AS given (address, place)
   WHERE NOT EXISTS (
     SELECT FROM mailboxes m WHERE m.tenant_id = $1 AND m.address = given.address)
   ORDER BY given.place`,
);

/** The content of a rule, before it is stored. */
export type RuleContent = Omit<DlpRule, 'createdAt' | 'updatedAt' | 'version'>;

/** All rules of the workspace, the oldest first. */
export const listRules = ({ rows }: Rows): Promise<DlpRule[]> => rows(list, []);

/** The rules that messages of a mailbox are judged by. */
export const rulesFor = ({ rows }: Rows, mailbox: string): Promise<DlpRule[]> =>
  rows(forMailbox, [mailbox]);

/** @throws Problem DLP_RULE_NOT_FOUND */
export async function findRule({ rows }: Rows, id: string): Promise<DlpRule> {
  const [found] = await rows(find, [id]);
  if (!found) throw new Problem('DLP_RULE_NOT_FOUND');
  return found;
}

/** @throws Problem TOO_MANY_DLP_RULES; other transactions that add one wait for this one */
export async function requireRoomForRule({ rows }: Rows): Promise<void> {
  await rows(lock, []);
  const [found] = await rows(count, []);
  if (found && found.count >= dlpRulesMax) throw new Problem('TOO_MANY_DLP_RULES');
}

/** The indexes of the addresses that are no mailboxes of the workspace. */
export async function placesOfUnknown(
  { rows }: Rows,
  addresses: readonly string[],
): Promise<readonly number[]> {
  if (addresses.length === 0) return [];
  return (await rows(unknownMailboxes, [addresses])).map(({ place }) => place);
}

/** Writes a rule, new or known. */
export async function writeRule({ rows, at }: Changing, rule: RuleContent): Promise<DlpRule> {
  const { id, name, detector, pattern, action, mailboxes, enabled } = rule;
  const values = [id, name, detector, pattern, action, mailboxes, enabled, at];
  const [written] = await rows(write, values);
  if (!written) throw new Error('an upsert returns its row');
  return written;
}

export async function removeRule({ rows }: Rows, id: string): Promise<void> {
  await rows(remove, [id]);
}
