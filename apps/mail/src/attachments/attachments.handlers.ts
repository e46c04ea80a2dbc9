import type { Caller } from '@postroom/access';
import { attachments, Problem, type GetAttachment } from '@postroom/contracts';
import { beginningOf, decodedPiece, type DecodedUpTo, type PartSource } from '@postroom/mime';
import { handlers, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { originalPart } from '../originals.js';
import { downloadHeaders } from './download-headers.js';
import { LargeFiles, plainContent, type FileContent, type FilePart } from './large-files.js';

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

const findInDraft = statement<Omit<FoundFile, 'id' | 'readPart'>>(
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
    const found = await findFile(context, input);
    const headers = { ...downloadHeaders(found, input), ...keptForADay };
    return largeFiles.answer(context, found, headers);
  },
}));

/** @throws Problem ATTACHMENT_NOT_FOUND */
export async function findFile(context: Reading, input: GetAttachment): Promise<FoundFile> {
  const [source] = await context.rows(find, [input.mailbox, input.id]);
  const found = source
    ? fileOfMessage(context, { ...source, id: input.id })
    : await fileOfDraft(context, input);
  if (!found) throw new Problem('ATTACHMENT_NOT_FOUND');
  return found;
}

function fileOfMessage(
  reading: Reading,
  { message, source, ...file }: Source & { readonly id: string },
): FoundFile | undefined {
  if (!source) return undefined;
  const readPart = async (at: string | null): Promise<FilePart> => {
    const place = at === null ? beginningOf(source) : (JSON.parse(at) as DecodedUpTo);
    const piece = await originalPart(reading, message, { start: place.at, end: source.end });
    const { bytes, next } = decodedPiece(piece, source, place);
    return { bytes, next: next && JSON.stringify(next) };
  };
  return { ...file, readPart };
}

async function fileOfDraft(
  reading: Reading,
  { id, mailbox }: GetAttachment,
): Promise<FoundFile | undefined> {
  if (!mayReadDrafts(reading.caller)) return undefined;
  const [found] = await reading.rows(findInDraft, [mailbox, id]);
  if (!found) return undefined;
  const { size } = found;
  const piece = (start: number) => draftPiece(reading, { id, mailbox, start });
  return { ...found, ...plainContent({ id, size }, piece) };
}

/** The bytes of a draft's file, piece by piece. @throws Problem ATTACHMENT_NOT_FOUND once it was removed */
export async function* bytesOfDraftFile(
  reading: Pick<Reading, 'rows'>,
  { id, mailbox, size }: GetAttachment & { readonly size: number },
): AsyncGenerator<Buffer, void> {
  for (let start = 0; start < size;) {
    const bytes = await draftPiece(reading, { id, mailbox, start });
    yield bytes;
    start += bytes.length;
  }
}

async function draftPiece(
  { rows }: Pick<Reading, 'rows'>,
  { id, mailbox, start }: GetAttachment & { readonly start: number },
): Promise<Buffer> {
  const [found] = await rows(pieceOfDraft, [mailbox, id, start]);
  if (!found) throw new Problem('ATTACHMENT_NOT_FOUND');
  return found.bytes;
}

const mayReadDrafts = (caller: Caller): boolean =>
  caller.type === 'member' || caller.scopes.includes('drafts:write');
