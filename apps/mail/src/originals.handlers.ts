import {
  fileParts,
  headersMax,
  headerValueMax,
  isId,
  messages,
  Problem,
  type GetRawMessage,
} from '@postroom/contracts';
import { collectBytes, shownHeaders } from '@postroom/mime';
import { handlers, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import {
  downloadHeaders,
  findFile,
  LargeFiles,
  partNamed,
  plainContent,
  type FileContent,
} from './attachments/index.js';
import { requireSharedMailbox } from './mailboxes/index.js';
import { originalPart, originalPieces } from './originals.js';

/** Bytes of a message in which its header fields are looked for: decoding them takes tens of milliseconds at most. */
const headBytesMax = 64 * 1024;

const find = statement<{ readonly size: number | null }>(
  'originals.find',
  'SELECT find_original($1, $2, $3) AS size',
);

/** Messages as they came or left: the bytes that are stored, without the trace header of our delivery. */
export const OriginalsHandlers = handlers(messages, [LargeFiles], (largeFiles) => ({
  raw: async (context, input) => {
    const named = { filename: `${input.id}.eml`, mimeType: 'message/rfc822' };
    return largeFiles.answer(context, await findOriginal(context, input), downloadHeaders(named));
  },

  headers: async (context, input) => {
    const size = await sizeOf(context, input);
    const end = Math.min(size, headBytesMax);
    const start = await collectBytes(originalPieces(context, input.id, { start: 0, end }), end);
    const { headers, truncated } = shownHeaders(start, {
      isWhole: end === size,
      fieldsMax: headersMax,
      charactersMax: headerValueMax,
    });
    return { headers, truncated };
  },
}));

/** The next parts of large files, of whatever kind. */
export const FilePartsHandlers = handlers(fileParts, [LargeFiles], (largeFiles) => ({
  get: async (context, { mailbox, part }) => {
    if (context.caller.type === 'member')
      await requireSharedMailbox(context, messages.raw, { mailbox });
    const { id, at } = partNamed(part);
    const findContent = isId('msg', id) ? findOriginal : findFile;
    return largeFiles.part(context, await findContent(context, { id, mailbox }), at);
  },
}));

async function findOriginal(reading: Reading, input: GetRawMessage): Promise<FileContent> {
  const { id } = input;
  const size = await sizeOf(reading, input);
  return plainContent({ id, size }, (start) => originalPart(reading, id, { start, end: size }));
}

async function sizeOf({ rows }: Reading, { id, mailbox }: GetRawMessage): Promise<number> {
  const [found] = await rows(find, [mailbox, id]);
  if (typeof found?.size !== 'number') throw new Problem('MESSAGE_NOT_FOUND');
  return found.size;
}
