import { composeMessage, WrongFileSize, type Composition } from '@postroom/mime';
import { BlobGone } from '@postroom/persistence/blobs/blob-store';
import { openBlobs, type BlobSettings } from '@postroom/persistence/blobs/open-blobs';
import { taskOfThread } from '@postroom/service/threads';
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import type { MailConfig } from '../config.js';
import { Stage, type Staged } from '../originals.js';

/** The data that a composing thread is started with: the blob store, and the database for staged messages. */
export type ComposingSettings = BlobSettings & Pick<MailConfig, 'databaseUrl'>;

/** A message to compose, and where it is staged. */
export interface ComposeTask {
  readonly composition: Composition;
  readonly as: Staged;
}

const settings = workerData as ComposingSettings;
// A lost connection fails what is composed just then; the next message gets another one.
const blobs = openBlobs(settings, () => undefined);
const stage = new Stage(settings.databaseUrl);

/**
 * Composes and stages a message; null when a file is not in the blob store any more. The bytes are
 * transferred to the caller's thread, not copied.
 */
async function compose({ composition, as }: ComposeTask): Promise<unknown> {
  try {
    const composed = await composeMessage(composition, blobs);
    await stage.store(as, composed.raw);
    return move({ [transferableSymbol]: [composed.raw.buffer], [valueSymbol]: composed });
  } catch (error) {
    if (error instanceof BlobGone || error instanceof WrongFileSize) return null;
    throw error;
  }
}

export default taskOfThread(compose);
