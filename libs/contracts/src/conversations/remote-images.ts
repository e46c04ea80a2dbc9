import { FileAnswer } from '../answers.js';
import { Count, Id, MailboxName } from '../fields/index.js';
import { family, operation } from '../operation.js';

/** Input of a look at a remote image. */
export class GetRemoteImage {
  @Id('msg', 'The message.')
  id!: string;

  @MailboxName('The mailbox it belongs to.')
  mailbox!: string;

  @Count('Which one of the images in `html` that have a `data-remote-src`, from 0.', {
    max: 100_000,
  })
  n!: number;
}

/** Images that messages name and do not bring, for members who ask to see them (`decisions.md` §9). */
export const remoteImages = family(
  'mail',
  'remoteImages',
  {
    get: operation({
      http: 'GET /v1/messages/:id/remote-image',
      summary: 'Show an image that a message names',
      description: `The server fetches it, so that its owner learns nothing of the reader but that the message was
opened: without cookies, from public addresses alone, up to 3 redirects, 5 MiB and 8 s. PNG, JPEG, GIF and WebP are shown.
Other remote content (styles, backgrounds) is not to be had.`,
      input: GetRemoteImage,
      output: FileAnswer,
      answer: { file: 'image/*' },
      mailbox: 'read',
      problems: [
        'MESSAGE_NOT_FOUND',
        'REMOTE_IMAGE_NOT_FOUND',
        'REMOTE_IMAGE_FORBIDDEN',
        'REMOTE_IMAGE_TOO_LARGE',
        'REMOTE_IMAGE_TYPE_UNKNOWN',
        'REMOTE_IMAGE_UNAVAILABLE',
      ],
      // Others of the message may be waited for before it.
      deadlineMs: 30_000,
    }),
  },
  { audience: 'member' },
);
