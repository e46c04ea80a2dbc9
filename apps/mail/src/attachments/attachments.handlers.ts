import type { Caller } from '@postroom/access';
import { attachments, FileAnswer, Problem, type GetAttachment } from '@postroom/contracts';
import { byReferenceOverBytes } from '@postroom/bus';
import { collectBytes, decodedPart, type PartSource } from '@postroom/mime';
import { handlers, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { originalPieces } from '../originals.js';
import { LargeFiles, type StoredFile } from './large-files.js';

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

interface FoundFile {
  readonly filename: string | null;
  readonly mimeType: string;
  readonly bytes: Buffer;
  /** The place of a large one in the blob store. */
  readonly stored?: StoredFile;
}

const findInDraft = statement<Omit<FoundFile, 'bytes'> & { readonly size: number }>(
  'attachments.of_draft',
  `SELECT filename, mime_type AS "mimeType", octet_length(bytes) AS size
   FROM draft_file($1, $2, $3)`,
);

const pieceBytes = 1024 * 1024;
const pieceOfDraft = statement<{ readonly piece: Buffer }>(
  'attachments.piece_of_draft',
  `SELECT substring(bytes FROM $4::int FOR ${pieceBytes}) AS piece FROM draft_file($1, $2, $3)`,
);

/**
 * Files of messages: cut out of the message as it came, so that they are the sender's to the byte.
 * Files of drafts, for those who may read drafts.
 */
export const AttachmentsHandlers = handlers(attachments, [LargeFiles], (largeFiles) => ({
  get: async (context, input) => {
    const source = await sourceOf(context, input);
    const found = source
      ? await fileOfMessage(context, source, largeFiles)
      : await fileOfDraft(context, input, largeFiles);
    if (!found) throw new Problem('ATTACHMENT_NOT_FOUND');
    const { bytes, mimeType, filename, stored = null } = found;
    const headers = {
      'content-type': servedAs(mimeType),
      'content-disposition': contentDisposition(filename),
      // A stranger's file is served from our origin only as a download; should a browser open it all
      // the same, it is sandboxed.
      'content-security-policy': "default-src 'none'; sandbox",
    };
    return new FileAnswer(bytes, headers, null, stored);
  },
}));

async function sourceOf(
  { rows }: Reading,
  { id, mailbox }: GetAttachment,
): Promise<Source | undefined> {
  const [found] = await rows(find, [mailbox, id]);
  return found;
}

async function fileOfMessage(
  reading: Reading,
  { message, filename, mimeType, size, source }: Source,
  largeFiles: LargeFiles,
): Promise<FoundFile | undefined> {
  if (!source) return undefined;
  const content = decodedPart(originalPieces(reading, message, source), source.encoding);
  return { filename, mimeType, ...(await contentOf(reading, { size, content }, largeFiles)) };
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
  reading: Reading,
  { id, mailbox }: GetAttachment,
  largeFiles: LargeFiles,
): Promise<FoundFile | undefined> {
  if (!mayReadDrafts(reading.caller)) return undefined;
  const [found] = await reading.rows(findInDraft, [mailbox, id]);
  if (!found) return undefined;
  const { size, ...file } = found;
  async function* content(): AsyncGenerator<Buffer, void> {
    for (let at = 0; at < size; at += pieceBytes) {
      const [next] = await reading.rows(pieceOfDraft, [mailbox, id, at + 1]);
      // The file was removed from its draft meanwhile.
      if (!next) throw new Problem('ATTACHMENT_NOT_FOUND');
      yield next.piece;
    }
  }
  return { ...file, ...(await contentOf(reading, { size, content: content() }, largeFiles)) };
}

/** A small file is answered as it is; a large one is copied to the blob store piece by piece. */
async function contentOf(
  reading: Reading,
  { size, content }: { readonly size: number; readonly content: AsyncIterable<Buffer> },
  largeFiles: LargeFiles,
): Promise<Pick<FoundFile, 'bytes' | 'stored'>> {
  const pieces = untilDeadline(reading, content);
  if (size <= byReferenceOverBytes) return { bytes: await collectBytes(pieces, size) };
  return { bytes: Buffer.alloc(0), stored: await largeFiles.store(reading, pieces) };
}

const mayReadDrafts = (caller: Caller): boolean =>
  caller.type === 'member' || caller.scopes.includes('drafts:write');

/** Characters that RFC 8187 §3.2.1 lets stand in an extended value. */
const plain = /[^A-Za-z0-9!#$&+.^_`|~-]/g;

/**
 * `Content-Disposition` of a download (RFC 6266 §4): a name in ASCII for everyone, and the true one
 * (RFC 8187, once RFC 5987) where that is another.
 */
function contentDisposition(filename: string | null): string {
  if (filename === null) return 'attachment';
  // A backslash or percent sign is understood in different ways by different clients.
  const ascii = filename.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\%]/g, '_');
  const fallback = `attachment; filename="${ascii}"`;
  return ascii === filename ? fallback : `${fallback}; filename*=UTF-8''${extended(filename)}`;
}

const extended = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(plain, (character) =>
    character === '%' ? '%' : `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Types that a browser would execute are served as plain text; the message lists the real type. */
const servedAs = (mimeType: string): string => (active.test(mimeType) ? 'text/plain' : mimeType);

const active = /\/html$|[/+]xml$|(?:java|ecma)script$/;
