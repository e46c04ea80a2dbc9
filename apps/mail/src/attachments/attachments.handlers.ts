import type { Caller } from '@postroom/access';
import { attachments, Problem, type GetAttachment } from '@postroom/contracts';
import { decodedFile, type PartSource } from '@postroom/mime';
import { handlers, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { originalPieces } from '../originals.js';
import { downloadHeaders } from './download-headers.js';
import { LargeFiles, type FileContent } from './large-files.js';

interface Source {
  readonly message: string;
  readonly filename: string | null;
  readonly mimeType: string;
  readonly size: number;
  /** Null where it is not known. */
  readonly source: PartSource | null;
}

const find = statement<Source>(
  'attachments.find',
  `SELECT message, filename, mime_type AS "mimeType", size, source
   FROM find_attachment($1, $2, $3)`,
);

interface FoundFile extends FileContent {
  readonly filename: string | null;
  readonly mimeType: string;
}

const findInDraft = statement<Omit<FoundFile, 'content'>>(
  'attachments.of_draft',
  `SELECT filename, mime_type AS "mimeType", size FROM draft_file($1, $2, $3)`,
);

const pieceOfDraft = statement<{ readonly bytes: Buffer }>(
  'attachments.piece_of_draft',
  'SELECT bytes FROM draft_file_piece($1, $2, $3, $4)',
);

/** The bytes of a file never change. */
const keptForADay = { 'cache-control': 'private, max-age=86400, immutable', vary: 'Cookie' };

/**
 * Files of messages: cut out of the message as it came, so that they are the sender's to the byte.
 * Files of drafts, for those who may read drafts.
 */
export const AttachmentsHandlers = handlers(attachments, [LargeFiles], (largeFiles) => ({
  get: async (context, input) => {
    const source = await sourceOf(context, input);
    const found = source ? fileOfMessage(context, source) : await fileOfDraft(context, input);
    if (!found) throw new Problem('ATTACHMENT_NOT_FOUND');
    const headers = { ...downloadHeaders(found, input), ...keptForADay };
    return largeFiles.answer(context, found, headers);
  },
}));

async function sourceOf(
  { rows }: Reading,
  { id, mailbox }: GetAttachment,
): Promise<Source | undefined> {
  const [found] = await rows(find, [mailbox, id]);
  return found;
}

function fileOfMessage(
  reading: Reading,
  { message, filename, mimeType, size, source }: Source,
): FoundFile | undefined {
  if (!source) return undefined;
  const content = decodedFile(originalPieces(reading, message, source), source);
  return { filename, mimeType, size, content };
}

async function fileOfDraft(
  reading: Reading,
  { id, mailbox }: GetAttachment,
): Promise<FoundFile | undefined> {
  if (!mayReadDrafts(reading.caller)) return undefined;
  const [found] = await reading.rows(findInDraft, [mailbox, id]);
  if (!found) return undefined;
  return { ...found, content: bytesOfDraftFile(reading, { id, mailbox, size: found.size }) };
}

/** The bytes of a draft's file, piece by piece. @throws Problem ATTACHMENT_NOT_FOUND once it was removed */
export async function* bytesOfDraftFile(
  { rows }: Pick<Reading, 'rows'>,
  { id, mailbox, size }: GetAttachment & { readonly size: number },
): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < size;) {
    const [next] = await rows(pieceOfDraft, [mailbox, id, at]);
    if (!next) throw new Problem('ATTACHMENT_NOT_FOUND');
    yield next.bytes;
    at += next.bytes.length;
  }
}

const mayReadDrafts = (caller: Caller): boolean =>
  caller.type === 'member' || caller.scopes.includes('drafts:write');
