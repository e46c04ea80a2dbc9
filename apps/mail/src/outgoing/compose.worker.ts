import { BlobGone } from '@postroom/contracts/plain';
import { openBlobs, type BlobsPlace } from '@postroom/persistence/blobs';
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { goBehind } from '../thread-priority.js';
import { composeMessage } from './compose-message.js';
import type { Composition } from './composition.js';

goBehind('a little');

// A connection that is lost fails what is composed just then, and the next one has another.
const blobs = openBlobs(workerData as BlobsPlace, () => undefined);

/**
 * What a composing thread runs; answers what it composed, or null when a file is not in the store. The
 * bytes are handed over, not copied.
 */
export default async function compose(composition: Composition): Promise<unknown> {
  try {
    const composed = await composeMessage(composition, blobs);
    return move({ [transferableSymbol]: [composed.raw.buffer], [valueSymbol]: composed });
  } catch (error) {
    if (error instanceof BlobGone) return null;
    throw error;
  }
}
