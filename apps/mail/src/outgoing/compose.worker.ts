import { move } from 'piscina';
import { composeMessage } from './compose-message.js';
import type { Composed, Composition } from './composition.js';

/** What a composing thread runs. The bytes go back without being copied. */
export default async function compose(composition: Composition): Promise<Composed> {
  const { raw, ...found } = await composeMessage(composition);
  const own = raw.byteLength === raw.buffer.byteLength ? raw : new Uint8Array(raw);
  return move({ ...found, raw: own }) as Composed;
}
