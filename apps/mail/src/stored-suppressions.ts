import type { MessageBounced, Suppression } from '@postroom/contracts';
import type { Changing, Reading } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';
import { routingAddress } from './routing-address.js';

/** The columns that make a row of `suppressions` a `Suppression`. */
export const suppressionColumns = `address, reason, nullif(status, '') AS status, ${instant('at')} AS at, message AS "messageId"`;

const find = statement<Suppression>(
  'suppressions.of_addresses',
  `SELECT ${suppressionColumns} FROM suppressions_of($1, $2)`,
);

/** The suppressed ones of some addresses, however they are spelled. */
export const suppressionsOf = (
  { rows }: Pick<Reading, 'rows'>,
  addresses: readonly string[],
): Promise<Suppression[]> => rows(find, [addresses.map(routingAddress)]);

const add = statement<object>(
  'suppressions.add',
  `INSERT INTO suppressions (tenant_id, address, reason, status, at, message)
   SELECT $1, s.address, s.reason, coalesce(s.status, ''), s.at, s."messageId" FROM json_to_recordset($2)
     AS s (address text, reason text, status text, at timestamptz, "messageId" text)
   ON CONFLICT DO NOTHING`,
);

/** Adds addresses; one that is there already stays as it is. */
export async function addSuppressions(
  { rows }: Pick<Changing, 'rows'>,
  suppressed: readonly Suppression[],
): Promise<void> {
  await rows(add, [JSON.stringify(suppressed)]);
}

interface Report {
  readonly id: string;
  readonly bounced: MessageBounced;
  readonly at: string;
  /** Recipients of the message that it is about. */
  readonly recipients: readonly string[];
}

const readReports = statement<Report>(
  'suppressions.read_reports',
  `SELECT b.id, b.bounced, ${instant('b.received_at')} AS at, ARRAY(
     SELECT r->>'email' FROM jsonb_array_elements(o.recipients || o.cc || o.bcc) r) AS recipients
   FROM messages b JOIN messages o ON o.tenant_id = $1 AND o.id = b.bounced->>'of'
   WHERE b.tenant_id = $1 AND b.id = ANY ($2)`,
);

/**
 * Suppresses the addresses that reports of permanent failures and complaints are about, in the commit that files them.
 * A report has to name a message of ours, whose Message-ID cannot be guessed, and one of its recipients; a message to one
 * address alone was forwarded where the report names another.
 */
export async function suppressReported(
  changing: Pick<Changing, 'rows'>,
  reports: readonly string[],
): Promise<void> {
  if (reports.length === 0) return;
  const found = await changing.rows(readReports, [reports]);
  const suppressed = found.flatMap(({ id, bounced, at, recipients }): Suppression[] => {
    const { action, status, recipient, text } = bounced;
    const isComplaint = action === 'complained';
    if (!isComplaint && !(action === 'failed' && status?.startsWith('5.'))) return [];
    const told = recipient === null ? null : routingAddress(recipient);
    const sentTo = [...new Set(recipients.map(routingAddress))];
    const address = sentTo.length === 1 ? sentTo[0] : sentTo.find((one) => one === told);
    const said = [status, text].filter((one) => one !== null).join(' ');
    const reason = isComplaint ? 'complained' : 'bounced';
    return address === undefined
      ? []
      : [{ address, reason, status: said || null, at, messageId: id }];
  });
  if (suppressed.length > 0) await addSuppressions(changing, suppressed);
}
