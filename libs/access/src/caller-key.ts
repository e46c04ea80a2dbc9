import { createSecretKey, type KeyObject } from 'node:crypto';

/** A service's key, made with {@link callerKey}. While it is changed there are two: the first signs, either verifies. */
export interface CallerKey {
  readonly signing: KeyObject;
  readonly accepted: readonly KeyObject[];
}

/**
 * Prepares keys once: an HMAC under a KeyObject costs a sixth of one under raw bytes.
 *
 * @throws Error when one is shorter than SHA-256's own output (RFC 2104 §3)
 */
export function callerKey(first: Uint8Array, ...others: readonly Uint8Array[]): CallerKey {
  const keys = [first, ...others];
  if (keys.some(({ length }) => length < 32))
    throw new Error('A key that signs callers has at least 32 bytes.');
  return { signing: createSecretKey(first), accepted: keys.map((key) => createSecretKey(key)) };
}

/** The key of a setting: base64, and while it is changed two, separated by a comma. @throws Error */
export function readCallerKey(setting: string): CallerKey {
  const [first = '', ...others] = setting.split(',');
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
  return callerKey(bytes(first), ...others.map(bytes));
}
