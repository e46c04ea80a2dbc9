import type { ErrorCode } from './generated.js';

/** A field at fault (400). */
export interface FieldFault {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

interface Facts {
  /** 0 where there was no answer. */
  readonly status: number;
  readonly code: ErrorCode | ClientCode | (string & {});
  readonly details?: readonly FieldFault[];
  readonly requestId?: string | null;
  readonly retryAfterMs?: number | null;
  readonly outcomeUnknown?: boolean;
  readonly idempotencyKey?: string | null;
  /** The body of the answer, for what one refusal alone says (`dlpWarningToken`, `requiredScope`). */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Refusals of the client itself. */
export type ClientCode =
  | 'NETWORK'
  | 'TIMEOUT'
  | 'ABORTED'
  | 'NOT_JSON'
  | 'APPROVAL_REQUIRED'
  | 'SIGNATURE';

/** A call that failed. Test `code`, or `status`; the message is for people, and changes. */
export class PostroomError extends Error {
  override readonly name = 'PostroomError';
  readonly status: number;
  readonly code: Facts['code'];
  readonly details: readonly FieldFault[];
  readonly requestId: string | null;
  /** When to ask again, as the server said. */
  readonly retryAfterMs: number | null;
  /** The write may have been done: call again with the same `idempotencyKey`, never with a new one. */
  readonly outcomeUnknown: boolean;
  readonly idempotencyKey: string | null;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(message: string, facts: Facts) {
    super(message, { cause: facts.cause });
    this.status = facts.status;
    this.code = facts.code;
    this.details = facts.details ?? [];
    this.requestId = facts.requestId ?? null;
    this.retryAfterMs = facts.retryAfterMs ?? null;
    this.outcomeUnknown = facts.outcomeUnknown ?? false;
    this.idempotencyKey = facts.idempotencyKey ?? null;
    this.body = facts.body ?? {};
  }
}

/** The error that a refusal is. */
export function refusalOf(
  { response, text }: { readonly response: Response; readonly text: string | null },
  idempotencyKey: string | null,
): PostroomError {
  const body = recordIn(text ?? '');
  const { error, message, code, details, requestId, outcomeUnknown } = body;
  const said = typeof message === 'string' ? message : error;
  const sentence = typeof said === 'string' ? said : `Status ${response.status}.`;
  return new PostroomError(sentence + hintOf(body), {
    status: response.status,
    code: typeof code === 'string' ? code : typeof error === 'string' ? error : 'NOT_JSON',
    details: Array.isArray(details) ? (details as FieldFault[]) : [],
    requestId: typeof requestId === 'string' ? requestId : response.headers.get('X-Request-Id'),
    retryAfterMs: retryAfterMs(response.headers),
    outcomeUnknown: outcomeUnknown === true,
    idempotencyKey,
    body,
  });
}

/** A hint beside the sentence: `It is rejected by Max Member: Not this one.` of a closed approval. */
function hintOf({ approval, code }: PostroomError['body']): string {
  if (code === 'ROUTE_NOT_FOUND') return ' Is baseUrl that of the API, /public included?';
  if (typeof approval !== 'object' || approval === null) return '';
  const { state, decidedBy, comment } = approval as Readonly<Record<string, string | null>>;
  return ` It is ${state}${decidedBy ? ` by ${decidedBy}` : ''}${comment ? `: ${comment}` : ''}.`;
}

function recordIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function retryAfterMs(headers: Headers): number | null {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}
