import { actorOf } from '@postroom/access';
import { newId, Problem, uploadBytesMax, uploads, uploadSteps } from '@postroom/contracts';
import { attachmentType } from '@postroom/mime';
import { handlers, requireRoomFor } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { MailConfig } from '../config.js';
import { requireSharedMailbox } from '../mailboxes/index.js';

const begin = statement<{ id: string }>(
  'uploads.begin',
  `INSERT INTO draft_files (tenant_id, id, mailbox_id, uploaded_by, filename, mime_type,
     declared_mime_type, size_bytes, is_whole)
   SELECT $1, $3, m.id, $4, $5, 'application/octet-stream', $6, 0, false
   FROM mailboxes m WHERE m.tenant_id = $1 AND m.address = $2 RETURNING id`,
);

// Only the one who began it goes on, and only where it was left.
const take = statement<{ size: number }>(
  'uploads.take',
  `WITH grown AS (
     UPDATE draft_files SET size_bytes = size_bytes + octet_length(decode($5, 'base64'))
     WHERE tenant_id = $1 AND id = $2 AND uploaded_by = $3 AND NOT is_whole AND size_bytes = $4
       AND size_bytes + octet_length(decode($5, 'base64')) <= ${uploadBytesMax}
     RETURNING id, size_bytes
   ), kept AS (
     INSERT INTO draft_file_pieces (tenant_id, file_id, start, bytes)
     SELECT $1, id, $4, decode($5, 'base64') FROM grown
   )
   SELECT size_bytes AS size FROM grown`,
);

const firstPiece = statement<{ bytes: Buffer; declared: string | null }>(
  'uploads.first_piece',
  `SELECT coalesce(p.bytes, '') AS bytes, f.declared_mime_type AS declared FROM draft_files f
   LEFT JOIN draft_file_pieces p ON p.tenant_id = $1 AND p.file_id = f.id AND p.start = 0
   WHERE f.tenant_id = $1 AND f.id = $2 AND f.uploaded_by = $3 AND NOT f.is_whole
     AND f.size_bytes = $4 FOR UPDATE OF f`,
);

const end = statement<{ id: string; filename: string | null; size: number; mimeType: string }>(
  'uploads.end',
  `UPDATE draft_files SET is_whole = true, mime_type = $3, created_at = $4
   WHERE tenant_id = $1 AND id = $2
   RETURNING id, filename, size_bytes AS size, mime_type AS "mimeType"`,
);

/** The steps in which the gateway hands a file over; it is a draft's file once one names it. */
export const UploadStepsHandlers = handlers(uploadSteps, [MailConfig], (config) => ({
  begin: async (context, input) => {
    const { mailbox, filename = null, declared } = input;
    await requireSharedMailbox(context, uploads.create, input);
    await requireRoomFor(context, 'storedBytes', config.quotaStoredBytes, 1);
    const id = newId('att');
    context.subject(id);
    const by = actorOf(context.caller).id;
    const begun = await context.rows(begin, [mailbox, id, by, filename, declared]);
    if (begun.length === 0) throw new Problem('MAILBOX_NOT_FOUND');
    return { id };
  },

  take: async (context, { id, start, piece }) => {
    const bytes = Math.floor((piece.length * 3) / 4);
    await requireRoomFor(context, 'storedBytes', config.quotaStoredBytes, bytes);
    const [taken] = await context.rows(take, [id, actorOf(context.caller).id, start, piece]);
    if (!taken) throw new Problem('UPLOAD_NOT_FOUND');
    return { id, size: taken.size };
  },

  end: async (context, { id, size }) => {
    const [found] = await context.rows(firstPiece, [id, actorOf(context.caller).id, size]);
    if (!found) throw new Problem('UPLOAD_NOT_FOUND');
    const type = await attachmentType(found.bytes, (found.declared ?? '').toLowerCase());
    const [upload] = await context.rows(end, [id, type, context.at]);
    if (!upload) throw new Error(`upload ${id} vanished under its lock`);
    return { upload };
  },
}));
