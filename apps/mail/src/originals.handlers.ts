import {
  headersMax,
  headerValueMax,
  messages,
  Problem,
  type GetRawMessage,
} from '@postroom/contracts';
import { collectBytes, shownHeaders } from '@postroom/mime';
import { handlers, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { downloadHeaders, LargeFiles } from './attachments/index.js';
import { originalPieces } from './originals.js';

/** Bytes of a message in which its header fields are looked for: decoding them takes tens of milliseconds at most. */
const headBytesMax = 64 * 1024;

const find = statement<{ readonly size: number | null }>(
  'originals.find',
  'SELECT find_original($1, $2, $3) AS size',
);

/** Messages as they came or left: the bytes that are stored, without the trace header of our delivery. */
export const OriginalsHandlers = handlers(messages, [LargeFiles], (largeFiles) => ({
  raw: async (context, input) => {
    const size = await sizeOf(context, input);
    const content = originalPieces(context, input.id, { start: 0, end: size });
    const named = { filename: `${input.id}.eml`, mimeType: 'message/rfc822' };
    return largeFiles.answer(context, { size, content }, downloadHeaders(named));
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

async function sizeOf({ rows }: Reading, { id, mailbox }: GetRawMessage): Promise<number> {
  const [found] = await rows(find, [mailbox, id]);
  if (typeof found?.size !== 'number') throw new Problem('MESSAGE_NOT_FOUND');
  return found.size;
}
