import { Controller } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import { attachments, FileAnswer, Problem, type GetAttachment } from '@postroom/contracts';
import { Handles, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { collected } from '../collected.js';
import { MemoryBudget } from '../memory-budget.js';
import { originalPieces, wholeOriginal } from '../originals/index.js';
import { decodedPart, MessageParser, type PartSource } from '../parsing/index.js';
import { contentDisposition } from './content-disposition.js';

/** What a browser would run is given as the text that it is; the listing says what it is besides. */
const servedAs = (mimeType: string): string => (active.test(mimeType) ? 'text/plain' : mimeType);

const active = /\/html$|[/+]xml$|(?:java|ecma)script$/;

/** Of files that are read at a time: more would delay lists. */
const bytesMax = 32 * 1024 * 1024;
/** Large files that wait for that. */
const waitingMax = 32;

interface Source {
  readonly message: string;
  readonly filename: string | null;
  readonly mimeType: string;
  readonly size: number;
  /** Among the attachments of its message, from 0. */
  readonly place: number;
  /** Null where it was not written down when the message was kept. */
  readonly source: PartSource | null;
}

const find = statement<Source>(
  'attachments.find',
  `SELECT message, filename, mime_type AS "mimeType", size, place, source
   FROM find_attachment($1, $2, $3)`,
);

interface FoundFile {
  readonly filename: string | null;
  readonly mimeType: string;
  readonly bytes: Buffer;
}

const findInDraft = statement<FoundFile>(
  'attachments.of_draft',
  'SELECT filename, mime_type AS "mimeType", bytes FROM draft_file($1, $2, $3)',
);

/** Files of messages: cut out of the message as it came, so that they are the sender's to the byte.
 * Files of drafts, for those who may read drafts. */
@Controller()
export class AttachmentsHandlers {
  private readonly budget = new MemoryBudget(bytesMax, { waitingMax });

  constructor(private readonly parser: MessageParser) {}

  @Handles(attachments.get)
  async get(context: Reading, input: GetAttachment): Promise<FileAnswer> {
    const found = (await this.ofMessage(context, input)) ?? (await ofDraft(context, input));
    if (!found) throw new Problem('ATTACHMENT_NOT_FOUND');
    const { bytes, mimeType, filename } = found;
    return new FileAnswer(bytes, {
      'content-type': servedAs(mimeType),
      'content-disposition': contentDisposition(filename),
      // A file of a stranger is on our origin only as a download; opened there all the same, it is
      // in a sandbox.
      'content-security-policy': "default-src 'none'; sandbox",
    });
  }

  private async ofMessage(
    reading: Reading,
    { id, mailbox }: GetAttachment,
  ): Promise<FoundFile | undefined> {
    const [found] = await reading.rows(find, [mailbox, id]);
    if (!found) return undefined;
    return this.budget.run(reading.tenantId, found.size, () => this.read(reading, found));
  }

  private async read(reading: Reading, found: Source): Promise<FoundFile | undefined> {
    const { message, filename, mimeType, size } = found;
    const source = found.source ?? (await this.sourceIn(reading, found));
    if (!source) return undefined;
    const pieces = waitedFor(reading, originalPieces(reading, message, source));
    return {
      filename,
      mimeType,
      bytes: await collected(decodedPart(pieces, source.encoding), size),
    };
  }

  /** Of a message that was kept before sources were. */
  private async sourceIn(
    reading: Reading,
    { message, place }: Source,
  ): Promise<PartSource | undefined> {
    const { attachments: files } = await this.parser.parse(await wholeOriginal(reading, message));
    return files[place]?.source;
  }
}

/** Ends when nobody waits for the answer any more. */
async function* waitedFor(
  { deadlineMs }: Reading,
  pieces: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void> {
  for await (const piece of pieces) {
    if (Date.now() >= deadlineMs) throw new Problem('SERVICE_UNAVAILABLE');
    yield piece;
  }
}

async function ofDraft(
  { rows, caller }: Reading,
  { id, mailbox }: GetAttachment,
): Promise<FoundFile | undefined> {
  if (!mayReadDrafts(caller)) return undefined;
  const [found] = await rows(findInDraft, [mailbox, id]);
  return found;
}

const mayReadDrafts = (caller: Caller): boolean =>
  caller.type === 'member' || caller.scopes.includes('drafts:write');
