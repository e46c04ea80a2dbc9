import type { Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { MailboxRow } from '../outgoing/index.js';
import type { Outgoing } from './outgoing-message.js';
import type { Refusal, Reservation } from './verdict.js';

/**
 * How long a process that says nothing is believed to live. Within it nobody takes what it works on;
 * after it nobody waits for it.
 */
export const leaseMs = 12_000;
const lease = `interval '${leaseMs} milliseconds'`;

/** A reservation that this process works on. */
export interface HeldReservation {
  readonly mailboxId: string;
  readonly idempotencyKey: string;
  readonly token: string;
}

interface Reserved {
  readonly taken: boolean;
  readonly reservation: Reservation;
  readonly mailbox: MailboxRow;
}

const columns = (of: string): string => `json_build_object(
  'mailboxId', ${of}.mailbox_id, 'idempotencyKey', ${of}.idempotency_key, 'state', ${of}.state,
  'fingerprint', ${of}.fingerprint, 'fingerprintVersion', ${of}.fingerprint_version,
  'request', ${of}.request, 'token', ${of}.token, 'isLive', ${of}.lease_until > now(),
  'messageId', ${of}.message_id, 'said', ${of}.said, 'receipt', ${of}.receipt::json)`;

const reserve = statement<Reserved>(
  'sends.reserve',
  `SELECT taken, ${columns('(reservation)')} AS reservation, json_build_object(
     'id', (mailbox).id, 'address', (mailbox).address, 'name', (mailbox).name,
     'outgoing', (mailbox).outgoing, 'dkim', (mailbox).dkim) AS mailbox
   FROM reserve_send($1, $2, $3, $4, $5, $6, $7, $8, ${lease})`,
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

/** What is asked for with a key. */
export interface ReservationRequest {
  readonly mailbox: string;
  readonly idempotencyKey: string;
  readonly fingerprint: string;
  readonly fingerprintVersion: number;
  /** The request on the bus. */
  readonly request: string;
  readonly token: string;
  readonly messageId: string;
}

/** Takes the key, or finds who has it; undefined when there is no such mailbox. */
export async function reserveSend(
  { rows }: Rows,
  asked: ReservationRequest,
): Promise<Reserved | undefined> {
  const { mailbox, idempotencyKey, fingerprint, fingerprintVersion } = asked;
  const { request, token, messageId } = asked;
  const what = [fingerprint, fingerprintVersion, request, token, messageId];
  const [reserved] = await rows(reserve, [mailbox, idempotencyKey, ...what]);
  return reserved;
}

/** The reservation of a key as it is now. */
export async function findSend(
  { rows }: Rows,
  { mailboxId, idempotencyKey }: Pick<HeldReservation, 'mailboxId' | 'idempotencyKey'>,
): Promise<Reservation | undefined> {
  const [found] = await rows(find, [mailboxId, idempotencyKey]);
  return found?.reservation;
}

const keyOf = ({ mailboxId, idempotencyKey, token }: HeldReservation): readonly string[] => [
  mailboxId,
  idempotencyKey,
  token,
];

/** Releases the key: nothing has left. */
export async function releaseSend({ rows }: Rows, held: HeldReservation): Promise<void> {
  await rows(release, keyOf(held));
}

/**
 * Says that from now on it may have left, and keeps what it is.
 * @param raw null where it is staged
 * @returns whether the reservation was still this process's
 */
export async function beginTransmission(
  { rows }: Rows,
  held: HeldReservation,
  outgoing: Outgoing,
  raw: Buffer | null,
): Promise<boolean> {
  const { message, conversationId } = outgoing;
  const what = [message, JSON.stringify(outgoing), conversationId, raw];
  const [answer] = await rows(begin, [...keyOf(held), ...what]);
  return answer?.began ?? false;
}

/** Says that this process lives; false when the reservation is another's by now. */
export async function renewSend({ rows }: Rows, held: HeldReservation): Promise<boolean> {
  const [answer] = await rows(renew, keyOf(held));
  return answer?.renewed ?? false;
}

/** Says that it certainly was not handed over: the key is free. */
export async function failSend(
  { rows }: Rows,
  held: HeldReservation,
  refusal: Refusal,
): Promise<void> {
  await rows(fail, [...keyOf(held), JSON.stringify(refusal)]);
}
