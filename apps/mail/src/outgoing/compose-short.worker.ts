import { composeMessage, type Composition, type FileStore } from '@postroom/mime';
import { taskOfThread } from '@postroom/service/threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';

const noStore: FileStore = {
  pieces: () => {
    throw new Error('a short message has no file in the blob store');
  },
};

/** Composes a message; its bytes are transferred to the caller's thread, not copied. */
async function compose(composition: Composition): Promise<unknown> {
  const composed = await composeMessage(composition, noStore);
  return move({ [transferableSymbol]: [composed.raw.buffer], [valueSymbol]: composed });
}

export default taskOfThread(compose);
