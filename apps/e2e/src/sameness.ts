import type { Answer } from './http.js';

/** What differs between two answers however alike they are: time, request id, requests left. */
const passing = new Set(['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset']);

/** An answer without its request id and time: equal for two answers that are alike byte for byte. */
export function withoutRequest(answer: Answer): unknown {
  const requestId = answer.headers['x-request-id'];
  return {
    status: answer.status,
    headers: Object.entries(answer.headers).filter(([name]) => !passing.has(name)),
    text: typeof requestId === 'string' ? answer.text.replaceAll(requestId, '…') : answer.text,
  };
}

/** An id that nothing has, of the same form as one that exists. */
export const strangerOf = (id: string): string => {
  const digits = Array.from({ length: 10 }, () => Math.floor(Math.random() * 10)).join('');
  return id.slice(0, -digits.length) + digits;
};
