import { BlobGone } from '@postroom/contracts/plain';
import { openBlobs } from '@postroom/persistence/blobs';
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { Stage } from '../originals/plain.js';
import { goBehind } from '../thread-priority.js';
import { composeMessage } from './compose-message.js';
import type { ComposeTask, ComposingPlace } from './composition.js';

goBehind('a little');

const place = workerData as ComposingPlace;
// A connection that is lost fails what is composed just then, and the next one has another.
const blobs = openBlobs(place, () => undefined);
const stage = new Stage(place.databaseUrl);

/**
 * What a composing thread runs; answers what it composed and kept, or null when a file is not in the
 * store. The bytes are handed over, not copied.
 */
export default async function compose({ composition, as }: ComposeTask): Promise<unknown> {
  try {
    const composed = await composeMessage(composition, blobs);
    await stage.keep(as, composed.raw);
    return move({ [transferableSymbol]: [composed.raw.buffer], [valueSymbol]: composed });
  } catch (error) {
    if (error instanceof BlobGone) return null;
    throw error;
  }
}
