import { move, transferableSymbol, valueSymbol } from 'piscina';
import { composeMessage } from './compose-message.js';
import type { Composition } from './composition.js';

/** What a composing thread runs; answers what it composed. The bytes are handed over, not copied. */
export default async function compose(composition: Composition): Promise<unknown> {
  const composed = await composeMessage(composition);
  return move({ [transferableSymbol]: [composed.raw.buffer], [valueSymbol]: composed });
}
