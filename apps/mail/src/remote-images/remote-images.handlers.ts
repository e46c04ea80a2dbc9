import { FileAnswer, Problem, remoteImages, type GetRemoteImage } from '@postroom/contracts';
import { remoteImageOf } from '@postroom/mime';
import { handlers, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { downloadHeaders } from '../attachments/index.js';
import { RemoteImages } from './remote-images.js';

const find = statement<{ readonly html: string | null }>(
  'remote_images.html',
  'SELECT html FROM message_html($1, $2, $3)',
);

/** Its owner may change it, and learns of each look that is no repeat. */
const keptForAnHour = { 'cache-control': 'private, max-age=3600', vary: 'Cookie' };

/** Images that messages name and do not bring. */
export const RemoteImagesHandlers = handlers(remoteImages, [RemoteImages], (images) => ({
  get: async (context, input) => {
    const { bytes, mimeType } = await images.fetch(context, await addressOf(context, input));
    const headers = downloadHeaders({ filename: null, mimeType }, { inline: true });
    return new FileAnswer(bytes, { ...headers, ...keptForAnHour });
  },
}));

async function addressOf({ rows }: Reading, input: GetRemoteImage): Promise<string> {
  const [found] = await rows(find, [input.mailbox, input.id]);
  if (!found) throw new Problem('MESSAGE_NOT_FOUND');
  const address = remoteImageOf(found.html ?? '', input.n);
  if (address === null) throw new Problem('REMOTE_IMAGE_NOT_FOUND');
  return address;
}
