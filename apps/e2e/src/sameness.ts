import type { Answer } from './http.js';

/** The headers in which two equal answers differ: time, request id, remaining requests. */
const passing = new Set(['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset']);

/** An answer without request id and time, to compare two answers byte for byte. */
export function withoutRequest(answer: Answer): unknown {
  const requestId = answer.headers['x-request-id'];
  return {
    status: answer.status,
    headers: Object.entries(answer.headers).filter(([name]) => !passing.has(name)),
    text: typeof requestId === 'string' ? answer.text.replaceAll(requestId, '…') : answer.text,
  };
}

/** An unused id of the same form as an existing one. */
export const strangerOf = (id: string): string => {
  const digits = Array.from({ length: 10 }, () => Math.floor(Math.random() * 10)).join('');
  return id.slice(0, -digits.length) + digits;
};
