import { fallbackMessage } from './fallback-message.js';
import { parseMessage } from './parse-message.js';
import type { ParsedMessage } from './parsed-message.js';

/**
 * A message as it is shown, for those who run in a thread already and bound its time themselves: what
 * cannot be parsed is shown by the fallback.
 */
export const readMessage = (raw: Uint8Array): Promise<ParsedMessage> =>
  parseMessage(raw).catch(() => fallbackMessage(raw));
