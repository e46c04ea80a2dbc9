import { actorOf } from '@postroom/access';
import {
  newId,
  Problem,
  sends,
  unknownSends,
  type SettleSend,
  type UnknownSend,
} from '@postroom/contracts';
import { handlers, UnitOfWork, type Reading } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';
import { addressesOf, newMessage, reply, type Outgoing } from './send-request.js';
import { UnknownSends } from './unknown-sends.js';
import { Sender } from './sender.js';

/** The two routes by which a message leaves. */
export const SendsHandlers = handlers(sends, [Sender], (sender) => ({
  create: (context, input) => sender.send(context, newMessage(input)),
  reply: (context, input) => sender.send(context, reply(input)),
}));

/** Lets an administrator list and settle sends whose outcome is unknown. */
export const UnknownSendsHandlers = handlers(
  unknownSends,
  [UnitOfWork, UnknownSends],
  (work, settler) => ({
    list: listUnknownSends,
    settle: async (context, input) => {
      await settleSend(context, input, work, settler);
      return { send: { id: input.id, state: input.outcome } };
    },
  }),
);

const listMax = 200;

interface UnknownRow extends Omit<UnknownSend, 'recipients' | 'threadId'> {
  readonly outgoing: Outgoing;
  readonly total: number;
}

const list = statement<UnknownRow>(
  'sends.list_unknown',
  `SELECT (u.reservation).message AS id, u.address AS mailbox, 'unknown' AS state,
     (u.reservation).message_id AS "messageId", (u.reservation).outgoing,
     coalesce((u.reservation).said->>'reason', '') AS reason,
     (u.reservation).idempotency_key AS "idempotencyKey",
     ${instant('(u.reservation).created_at')} AS "createdAt",
     ${instant('(u.reservation).lease_until')} AS "nextLookAt", u.total
   FROM list_unknown_sends($1, $2) u`,
);

/** Locks an unknown send until the end of the transaction. */
const lock = statement<{ mailboxId: string; idempotencyKey: string; token: string }>(
  'sends.lock_unknown',
  `SELECT mailbox_id AS "mailboxId", idempotency_key AS "idempotencyKey", token
   FROM send_reservations WHERE tenant_id = $1 AND message = $2 AND state = 'unknown' FOR UPDATE`,
);

const fail = statement<{ failed: boolean }>(
  'sends.settle_as_failed',
  'SELECT fail_send($1, $2, $3, $4, $5) AS failed',
);

const keepDraft = statement<object>(
  'sends.keep_unsent_draft',
  'SELECT keep_unsent_draft($1, $2, $3, $4)',
);

/** Sends whose outcome is unknown, newest first. */
async function listUnknownSends({ rows }: Reading) {
  const found = await rows(list, [listMax]);
  const items = found.map(({ outgoing, total: _, ...send }) => ({
    ...send,
    threadId: outgoing.conversationId,
    recipients: addressesOf(outgoing),
  }));
  return { items, total: found[0]?.total ?? 0, nextPageToken: null };
}

/**
 * Settles what neither the provider nor an answer has settled. What has failed is sent again by a person alone.
 * @throws Problem SEND_NOT_FOUND also for one that was settled meanwhile
 */
async function settleSend(
  context: Reading,
  { id, outcome }: SettleSend,
  work: UnitOfWork,
  settler: UnknownSends,
): Promise<void> {
  const { tenantId, caller, requestId } = context;
  const origin = { tenantId, actor: actorOf(caller), source: caller.source };
  const audit = { action: 'unknownSends.settle', subjectId: id, requestId };
  const key = await work.change(origin, null, async ({ rows, at }) => {
    if (outcome === 'failed') await rows(keepDraft, [id, newId('evn'), at]);
    const [found] = await rows(lock, [id]);
    if (!found) throw new Problem('SEND_NOT_FOUND');
    const { mailboxId, idempotencyKey, token } = found;
    if (outcome === 'failed') {
      const said = JSON.stringify({ kind: 'unavailable', reason: 'settled by a member' });
      await rows(fail, [mailboxId, idempotencyKey, token, said]);
    }
    return { value: { tenantId, mailboxId, idempotencyKey }, audit };
  });
  if (outcome === 'sent') await settler.settleAsSent(key);
}
