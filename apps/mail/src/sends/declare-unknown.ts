import { systemActor } from '@postroom/contracts';
import type { UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { Outgoing } from './outgoing-message.js';

/** The key of a send. */
export interface SendKey {
  readonly tenantId: string;
  readonly mailboxId: string;
  readonly idempotencyKey: string;
}

/** What is recorded of a send that may have left. */
export interface Unknown {
  readonly reason: string;
  /** Recipients that the server had refused, as SMTP carries addresses; absent where that is not known. */
  readonly rejected?: readonly string[] | undefined;
}

/** By the process that works on it, or by any process once its lease has run out. */
const markAsUnknown = statement<{ outgoing: Outgoing }>(
  'sends.mark_as_unknown',
  `UPDATE send_reservations SET state = 'unknown', said = $5, lease_until = now()
   WHERE tenant_id = $1 AND mailbox_id = $2 AND idempotency_key = $3 AND state = 'transmitting'
     AND (token = $4 OR lease_until <= now())
   RETURNING outgoing`,
);

/**
 * transmitting → unknown: it may have left, it is never sent again, and an audit record says so.
 * @param send with the token of the process that works on it, if that is the caller
 */
export async function declareUnknown(
  work: UnitOfWork,
  { tenantId, mailboxId, idempotencyKey, token }: SendKey & { readonly token?: string },
  why: Unknown,
): Promise<void> {
  const origin = { tenantId, actor: systemActor, source: 'app' } as const;
  await work.run(origin, null, async ({ rows }) => {
    const values = [mailboxId, idempotencyKey, token ?? null, JSON.stringify(why)];
    const [marked] = await rows(markAsUnknown, values);
    if (!marked) return { value: undefined };
    const { message, requestId } = marked.outgoing;
    const audit = { action: 'sends.outcome_unknown', subjectId: message, requestId };
    return { value: undefined, audit };
  });
}
