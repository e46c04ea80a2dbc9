import { PostroomError, refusalOf } from './errors.js';

/** Times that a call is repeated. */
const repeatsMax = 3;
/** The first wait, where the server says none; it doubles. */
const firstWaitMs = 500;
/** A second of the same key waits for the first, which takes no longer than that as a rule. */
const duplicateWaitMs = 2_000;

/** A response with its body, which is read within the attempt: a connection can break there too. */
export interface Received {
  readonly response: Response;
  /** Null of a file, which is handed over unread. */
  readonly text: string | null;
  /** Requests that were made for it. */
  readonly attempts: number;
}

export interface Attempts {
  /** Milliseconds on a clock of the caller's, at which it gives up. */
  readonly deadline: number;
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
  /** Names the write; null of a read. Only what is safe to repeat comes here. */
  readonly idempotencyKey: string | null;
  /** The address that is called, which an error names. */
  readonly baseUrl: string;
}

/**
 * Makes a request until it is answered for good. It is made again, at most three times and within the deadline: when
 * there was no answer; after 429 and 503, at the time that they say; after a 502 whose outcome is unknown; and when
 * another request with the same key was under way. Never after any other refusal.
 *
 * @throws PostroomError
 */
export async function untilAnswered(
  attempt: (signal: AbortSignal) => Promise<Received>,
  attempts: Attempts,
): Promise<Received> {
  for (let repeats = 0; ; repeats += 1) {
    const outcome = await once(attempt, attempts);
    if (!(outcome instanceof PostroomError)) return outcome;
    const waitMs = waitBefore(outcome, repeats);
    const isTooLate = waitMs === null || attempts.now() + waitMs >= attempts.deadline;
    if (isTooLate || repeats === repeatsMax) throw outcome;
    await attempts.sleep(waitMs, attempts.signal).catch((cause: unknown) => {
      const { outcomeUnknown, idempotencyKey } = outcome;
      throw aborted({ outcomeUnknown, idempotencyKey, cause });
    });
  }
}

async function once(
  attempt: (signal: AbortSignal) => Promise<Received>,
  { deadline, now, signal, idempotencyKey, baseUrl }: Attempts,
): Promise<Received | PostroomError> {
  const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(deadline - now())));
  try {
    const received = await attempt(signal ? AbortSignal.any([signal, timeout]) : timeout);
    return received.response.ok ? received : refusalOf(received, idempotencyKey);
  } catch (cause) {
    const lost = { outcomeUnknown: idempotencyKey !== null, idempotencyKey, cause };
    if (signal?.aborted) return aborted({ ...lost, cause: signal.reason });
    const code = timeout.aborted ? 'TIMEOUT' : 'NETWORK';
    return new PostroomError(
      timeout.aborted
        ? 'No answer within the time given.'
        : `The server was not reached: ${baseUrl}.`,
      { status: 0, code, ...lost },
    );
  }
}

/** The error of a call whose caller has given up, who may have to repeat it. */
export const aborted = (
  facts: Pick<Partial<PostroomError>, 'outcomeUnknown' | 'idempotencyKey' | 'body' | 'cause'>,
): PostroomError =>
  new PostroomError('The call was ended by its signal.', { status: 0, code: 'ABORTED', ...facts });

/** Milliseconds to wait before the call is repeated; null where it is not. */
function waitBefore(error: PostroomError, repeats: number): number | null {
  if (error.code === 'TIMEOUT' || error.code === 'ABORTED') return null;
  if (isLost(error)) return firstWaitMs * 2 ** repeats;
  if (isPassing(error)) return error.retryAfterMs ?? firstWaitMs * 2 ** repeats;
  return isUnderWay(error) ? (error.retryAfterMs ?? duplicateWaitMs) : null;
}

const isLost = ({ status, outcomeUnknown }: PostroomError): boolean =>
  status === 0 || (status === 502 && outcomeUnknown);

const isPassing = ({ status }: PostroomError): boolean => status === 429 || status === 503;

const isUnderWay = ({ status, code, body }: PostroomError): boolean =>
  status === 409 && (body['duplicate'] === true || code === 'DUPLICATE_IN_PROGRESS');

/** Waits; ends at once when the signal does. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
