/** What an `Idempotency-Key` may be: 8 to 200 printable ASCII characters (public-api.md §4.2). */
export const idempotencyKeyPattern = '^[\\x20-\\x7e]{8,200}$';

/** What `X-Svc-Idempotency` says of a request with an Idempotency-Key (public-api.md §3). */
export const idempotencyOutcomes = [
  'miss',
  'hit',
  'hit-mem',
  'key-reused',
  'key-unverifiable',
  'duplicate-suppressed',
] as const;
