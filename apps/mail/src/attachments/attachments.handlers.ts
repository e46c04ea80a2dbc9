import { Controller } from '@nestjs/common';
import { attachments, FileAnswer, Problem, type GetAttachment } from '@postroom/contracts';
import { Handles, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { MessageParser, partBytes } from '../parsing/index.js';
import { contentDisposition } from './content-disposition.js';

interface Source {
  readonly filename: string | null;
  readonly mimeType: string;
  readonly place: number;
  readonly raw: Buffer;
}

const find = statement<Source>(
  'attachments.source',
  `SELECT filename, mime_type AS "mimeType", place, raw FROM attachment_source($1, $2, $3)`,
);

/** Files of messages: cut out of the message as it came, so that they are the sender's to the byte. */
@Controller()
export class AttachmentsHandlers {
  constructor(private readonly parser: MessageParser) {}

  @Handles(attachments.get)
  async get({ rows }: Reading, { id, mailbox }: GetAttachment): Promise<FileAnswer> {
    const [found] = await rows(find, [mailbox, id]);
    if (!found) throw new Problem('ATTACHMENT_NOT_FOUND');
    const { filename, mimeType, place, raw } = found;
    const parsed = await this.parser.parse(raw);
    const source = parsed.attachments[place]?.source;
    if (!source) throw new Problem('ATTACHMENT_NOT_FOUND');
    return new FileAnswer(partBytes(raw, source), {
      'content-type': mimeType,
      'content-disposition': contentDisposition(filename),
      'x-content-type-options': 'nosniff',
      // A file of a stranger is on our origin only as a download; opened there all the same, it is
      // in a sandbox.
      'content-security-policy': "default-src 'none'; sandbox",
    });
  }
}
