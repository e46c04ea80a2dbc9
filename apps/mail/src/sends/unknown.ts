import type { UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { Outgoing } from './outgoing-message.js';

/** A send, by its key. */
export interface SendKey {
  readonly tenantId: string;
  readonly mailboxId: string;
  readonly idempotencyKey: string;
}

/** What is kept of a send that may have left. */
export interface Unknown {
  readonly said: string;
  /** Recipients that the server had refused, as SMTP carries addresses; absent where nobody knows. */
  readonly rejected?: readonly string[] | undefined;
}

/** By the process that works on it, or by anyone once that is believed dead. */
const lose = statement<{ outgoing: Outgoing }>(
  'sends.lose',
  `UPDATE send_reservations SET state = 'unknown', said = $5, lease_until = now()
   WHERE tenant_id = $1 AND mailbox_id = $2 AND idempotency_key = $3 AND state = 'transmitting'
     AND (token = $4 OR lease_until <= now())
   RETURNING outgoing`,
);

/**
 * transmitting → unknown: it may have left, nobody will send it again, and the audit has it.
 * @param send with the token of the process that works on it, if that is who says so
 */
export async function declareUnknown(
  work: UnitOfWork,
  { tenantId, mailboxId, idempotencyKey, token }: SendKey & { readonly token?: string },
  why: Unknown,
): Promise<void> {
  const origin = { tenantId, actor: { type: 'system', id: null }, source: 'app' } as const;
  await work.run(origin, null, async ({ rows }) => {
    const values = [mailboxId, idempotencyKey, token ?? null, JSON.stringify(why)];
    const [lost] = await rows(lose, values);
    if (!lost) return { value: undefined };
    const { message, requestId } = lost.outgoing;
    const audit = { action: 'sends.outcome_unknown', subjectId: message, requestId };
    return { value: undefined, audit };
  });
}
