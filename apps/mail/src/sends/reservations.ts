import { systemActor } from '@postroom/contracts';
import type { Reading, UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { SendingMailbox } from '../outgoing/index.js';
import type { Outgoing } from './send-request.js';
import type { Fingerprinted, Refusal, Reservation } from './verdict.js';

/**
 * The time for which a reservation belongs to a process that does not renew it. Within it no other process takes
 * the reservation over; after it none waits for it.
 */
export const leaseMs = 12_000;
const lease = `interval '${leaseMs} milliseconds'`;

/** A reservation that belongs to this process. */
export interface OwnReservation {
  readonly mailboxId: string;
  readonly idempotencyKey: string;
  readonly token: string;
}

interface ReserveAnswer {
  readonly taken: boolean;
  readonly reservation: Reservation;
  readonly mailbox: SendingMailbox;
  /** Set if the API key has reached its limit: seconds until it may send again; there is no reservation then. */
  readonly waitSeconds: number | null;
}

const columns = (of: string): string => `json_build_object(
  'mailboxId', ${of}.mailbox_id, 'idempotencyKey', ${of}.idempotency_key, 'state', ${of}.state,
  'fingerprint', ${of}.fingerprint, 'fingerprintVersion', ${of}.fingerprint_version,
  'request', ${of}.request, 'token', ${of}.token, 'isLive', ${of}.lease_until > now(),
  'messageId', ${of}.message_id, 'said', ${of}.said, 'receipt', ${of}.receipt::json)`;

const reserve = statement<ReserveAnswer>(
  'sends.reserve',
  `SELECT taken, ${columns('(reservation)')} AS reservation, json_build_object(
     'id', (mailbox).id, 'address', (mailbox).address, 'name', (mailbox).name,
     'outgoing', (mailbox).outgoing, 'dkim', (mailbox).dkim) AS mailbox,
     wait_seconds AS "waitSeconds"
   FROM reserve_send_within($1, $2, $3, $4, $5, $6, $7, $8, ${lease}, $9, $10)`,
);

const find = statement<{ reservation: Reservation }>(
  'sends.find',
  `SELECT ${columns('r')} AS reservation FROM find_send($1, $2, $3) r`,
);

const release = statement<object>(
  'sends.release',
  'SELECT CASE WHEN release_send($1, $2, $3, $4) THEN release_warning($1, $4) END',
);

const begin = statement<{ began: boolean }>(
  'sends.begin_transmission',
  `SELECT begin_transmission($1, $2, $3, $4, ${lease}, $5, $6, $7, $8) AS began`,
);

const renew = statement<{ renewed: boolean }>(
  'sends.renew',
  `SELECT renew_send($1, $2, $3, $4, ${lease}) AS renewed`,
);

const fail = statement<object>(
  'sends.fail',
  'SELECT CASE WHEN fail_send($1, $2, $3, $4, $5) THEN release_warning($1, $4) END',
);

type Rows = Pick<Reading, 'rows'>;

/** The request that a key is reserved for. */
export interface ReservationRequest extends Fingerprinted {
  readonly mailbox: string;
  readonly idempotencyKey: string;
  /** The id of the request on the bus. */
  readonly request: string;
  readonly token: string;
  readonly messageId: string;
  /** Null: a member sends. */
  readonly apiKey: string | null;
  /** Sends of the API key a minute, over all gateways. */
  readonly limit: number;
}

/** Reserves the key, or finds its reservation; undefined when there is no such mailbox. */
export async function reserveSend(
  { rows }: Rows,
  wanted: ReservationRequest,
): Promise<ReserveAnswer | undefined> {
  const { mailbox, idempotencyKey, fingerprint, fingerprintVersion } = wanted;
  const { request, token, messageId, apiKey, limit } = wanted;
  const values = [fingerprint, fingerprintVersion, request, token, messageId, apiKey, limit];
  const [reserved] = await rows(reserve, [mailbox, idempotencyKey, ...values]);
  return reserved;
}

/** The reservation of a key as it is now. */
export async function findSend(
  { rows }: Rows,
  { mailboxId, idempotencyKey }: Pick<OwnReservation, 'mailboxId' | 'idempotencyKey'>,
): Promise<Reservation | undefined> {
  const [found] = await rows(find, [mailboxId, idempotencyKey]);
  return found?.reservation;
}

const keyOf = ({ mailboxId, idempotencyKey, token }: OwnReservation): readonly string[] => [
  mailboxId,
  idempotencyKey,
  token,
];

/** Releases the key: nothing has left. */
export async function releaseSend({ rows }: Rows, reservation: OwnReservation): Promise<void> {
  await rows(release, keyOf(reservation));
}

/**
 * Records that from now on the message may have left, and stores the message.
 * @param raw null where it is staged
 * @returns whether the reservation was still this process's
 */
export async function beginTransmission(
  { rows }: Rows,
  reservation: OwnReservation,
  outgoing: Outgoing,
  raw: Buffer | null,
): Promise<boolean> {
  const { message, conversationId } = outgoing;
  const values = [message, JSON.stringify(outgoing), conversationId, raw];
  const [answer] = await rows(begin, [...keyOf(reservation), ...values]);
  return answer?.began ?? false;
}

/** Extends the lease; false when another process has the reservation. */
export async function renewSend({ rows }: Rows, reservation: OwnReservation): Promise<boolean> {
  const [answer] = await rows(renew, keyOf(reservation));
  return answer?.renewed ?? false;
}

/** Records that the message certainly was not handed over: the key is free. */
export async function failSend(
  { rows }: Rows,
  reservation: OwnReservation,
  refusal: Refusal,
): Promise<void> {
  await rows(fail, [...keyOf(reservation), JSON.stringify(refusal)]);
}

/** The key of a send. */
export interface SendKey {
  readonly tenantId: string;
  readonly mailboxId: string;
  readonly idempotencyKey: string;
}

/** The record of a send that may have left. */
export interface UnknownOutcome {
  readonly reason: string;
  /** Recipients that the server had refused, as SMTP carries addresses; absent where that is not known. */
  readonly rejected?: readonly string[] | undefined;
}

/** Marked by the process that works on it, or by any process once its lease has run out. */
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
  why: UnknownOutcome,
): Promise<void> {
  const origin = { tenantId, actor: systemActor, source: 'app' } as const;
  await work.change(origin, null, async ({ rows }) => {
    const values = [mailboxId, idempotencyKey, token ?? null, JSON.stringify(why)];
    const [marked] = await rows(markAsUnknown, values);
    if (!marked) return { value: undefined };
    const { message, requestId } = marked.outgoing;
    const audit = { action: 'sends.outcome_unknown', subjectId: message, requestId };
    return { value: undefined, audit };
  });
}
