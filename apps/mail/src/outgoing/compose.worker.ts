import { BlobGone } from '@postroom/contracts/plain';
import { composeMessage, type Composition } from '@postroom/mime';
import { openBlobs, type BlobsPlace } from '@postroom/persistence/blobs';
import { lowerPriority } from '@postroom/service/threads';
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import type { MailConfig } from '../config.js';
import { Stage, type Staged } from '../originals/plain.js';

lowerPriority('below normal');

/** What a composing thread is started with: where files are, and where messages are kept. */
export type ComposingPlace = BlobsPlace & Pick<MailConfig, 'databaseUrl'>;

/** A message for it, and what it is kept as. */
export interface ComposeTask {
  readonly composition: Composition;
  readonly as: Staged;
}

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
