import { PostroomError } from '@postroom/sdk';
import { visible } from './output.js';

/** The command line itself is wrong, or says too little. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The codes that the program ends with. */
export const exitCodes = {
  done: 0,
  usage: 1,
  refused: 2,
  waiting: 3,
  retryable: 4,
  outcomeUnknown: 5,
} as const;

/** The code of an error, and the lines to say about it. */
export function endOf(error: unknown): {
  readonly code: number;
  readonly lines: readonly string[];
} {
  if (error instanceof PostroomError) return endOfCall(error);
  const message = error instanceof Error ? error.message : String(error);
  return { code: exitCodes.usage, lines: [visible(message)] };
}

function endOfCall(error: PostroomError) {
  const { code, status, details, requestId, idempotencyKey, outcomeUnknown, body } = error;
  const scope = body['requiredScope'];
  const lines = [
    visible(`${error.message} (${status === 0 ? code : `${status} ${code}`})`),
    ...details.map(({ field, message }) => visible(`  ${field}: ${message}`)),
    ...(typeof scope === 'string' ? [visible(`  needs the scope ${scope}`)] : []),
    ...(requestId === null ? [] : [`  request ${visible(requestId)}`]),
  ];
  if (outcomeUnknown) {
    const again = `Repeat the same command with --idempotency-key ${idempotencyKey ?? ''}`;
    return { code: exitCodes.outcomeUnknown, lines: [...lines, `It may have been done. ${again}`] };
  }
  if (!isPassing(error)) return { code: exitCodes.refused, lines };
  return { code: exitCodes.retryable, lines: [...lines, `Try again in ${waitOf(error)}.`] };
}

/** True of what may be well a moment later: no answer, a limit, a server that cannot serve now. */
export const isPassing = ({ status }: PostroomError): boolean =>
  status === 0 || status === 429 || status >= 500;

const waitOf = ({ retryAfterMs }: PostroomError): string =>
  retryAfterMs === null ? 'a moment' : `${Math.ceil(retryAfterMs / 1000)} s`;
