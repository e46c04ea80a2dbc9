import type { Caller } from '@postroom/access';
import { attachments, FileAnswer, Problem, type GetAttachment } from '@postroom/contracts';
import { collectBytes, decodedPart, MessageParser, type PartSource } from '@postroom/mime';
import { handlers, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { originalPieces, wholeOriginal } from '../originals/index.js';
import { MemoryBudget } from '../memory-budget.js';
import { contentDisposition } from './content-disposition.js';

/** What a browser would execute is served as plain text; the message lists its real type. */
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
  /** Null where it was not recorded when the message was stored. */
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

/**
 * Files of messages: cut out of the message as it came, so that they are the sender's to the byte.
 * Files of drafts, for those who may read drafts.
 */
export const AttachmentsHandlers = handlers(attachments, [MessageParser], (parser) => {
  const budget = new MemoryBudget(bytesMax, { waitingMax });
  return {
    get: async (context, input) => {
      const source = await sourceOf(context, input);
      const found = source
        ? await budget.run(context.tenantId, source.size, () =>
            fileOfMessage(context, parser, source),
          )
        : await fileOfDraft(context, input);
      if (!found) throw new Problem('ATTACHMENT_NOT_FOUND');
      const { bytes, mimeType, filename } = found;
      return new FileAnswer(bytes, {
        'content-type': servedAs(mimeType),
        'content-disposition': contentDisposition(filename),
        // A stranger's file is served from our origin only as a download; should a browser open it all
        // the same, it is sandboxed.
        'content-security-policy': "default-src 'none'; sandbox",
      });
    },
  };
});

async function sourceOf(
  { rows }: Reading,
  { id, mailbox }: GetAttachment,
): Promise<Source | undefined> {
  const [found] = await rows(find, [mailbox, id]);
  return found;
}

async function fileOfMessage(
  reading: Reading,
  parser: MessageParser,
  found: Source,
): Promise<FoundFile | undefined> {
  const { message, filename, mimeType, size } = found;
  const source = found.source ?? (await parsedSource(reading, parser, found));
  if (!source) return undefined;
  const pieces = untilDeadline(reading, originalPieces(reading, message, source));
  return {
    filename,
    mimeType,
    bytes: await collectBytes(decodedPart(pieces, source.encoding), size),
  };
}

/** The source of a part whose message has none recorded. */
async function parsedSource(
  reading: Reading,
  parser: MessageParser,
  { message, place }: Source,
): Promise<PartSource | undefined> {
  const { attachments: files } = await parser.parse(await wholeOriginal(reading, message));
  return files[place]?.source;
}

/** Stops reading when the request's deadline has passed. */
async function* untilDeadline(
  { deadlineMs }: Reading,
  pieces: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void> {
  for await (const piece of pieces) {
    if (Date.now() >= deadlineMs) throw new Problem('SERVICE_UNAVAILABLE');
    yield piece;
  }
}

async function fileOfDraft(
  { rows, caller }: Reading,
  { id, mailbox }: GetAttachment,
): Promise<FoundFile | undefined> {
  if (!mayReadDrafts(caller)) return undefined;
  const [found] = await rows(findInDraft, [mailbox, id]);
  return found;
}

const mayReadDrafts = (caller: Caller): boolean =>
  caller.type === 'member' || caller.scopes.includes('drafts:write');
