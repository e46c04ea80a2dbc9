import { move, transferableSymbol, valueSymbol } from 'piscina';
import { composeMessage } from './compose-message.js';
import type { Composition } from './composition.js';

/** What a composing thread runs; answers what it composed. The bytes are handed over, not copied. */
export default async function compose(composition: Composition): Promise<unknown> {
  const composed = await composeMessage(composition);
  // A part of a buffer that others use cannot be handed over.
  const isOwn = composed.raw.byteLength === composed.raw.buffer.byteLength;
  const raw = isOwn ? composed.raw : new Uint8Array(composed.raw);
  return move({ [transferableSymbol]: [raw.buffer], [valueSymbol]: { ...composed, raw } });
}
