import {
  attachedCharactersMax,
  base64Length,
  filePieceBytes,
  newId,
  Problem,
  type AttachedFile,
} from '@postroom/contracts';
import { attachmentType } from '@postroom/mime';
import { requireRoomFor, type Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';

/** A file as it is given with a draft: with its bytes, or as one that is there already. */
export interface DraftFile {
  readonly id: string;
  readonly filename: string | null;
  readonly mimeType: string | null;
  readonly declaredMimeType: string | null;
  /** Null: it was uploaded, or the draft has it. */
  readonly bytes: Buffer | null;
}

const keep = statement<object>(
  'drafts.keep_files',
  `INSERT INTO draft_files
     (tenant_id, mailbox_id, draft_id, id, filename, mime_type, declared_mime_type, size_bytes)
   SELECT $1, $2, $3, f.id, f.filename, f.mime_type, f.declared, f.size
   FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::integer[])
     AS f (id, filename, mime_type, declared, size)`,
);

const keepPieces = statement<object>(
  'drafts.keep_pieces',
  `INSERT INTO draft_file_pieces (tenant_id, file_id, start, bytes)
   SELECT $1, p.id, p.start, p.bytes
   FROM unnest($2::text[], $3::integer[], $4::bytea[]) AS p (id, start, bytes)`,
);

// A file that is whole, in the draft's mailbox, and no other draft's.
const name = statement<{ size: number }>(
  'drafts.name_files',
  `UPDATE draft_files f SET draft_id = $3, position = n.position - 1
   FROM unnest($4::text[]) WITH ORDINALITY AS n (id, position)
   WHERE f.tenant_id = $1 AND f.id = n.id AND f.mailbox_id = $2 AND f.is_whole
     AND (f.draft_id IS NULL OR f.draft_id = $3)
   RETURNING f.size_bytes AS size`,
);

const list = statement<{ id: string }>(
  'drafts.list_files',
  'SELECT id FROM draft_files WHERE tenant_id = $1 AND draft_id = $2 ORDER BY position',
);

const drop = statement<object>(
  'drafts.drop_files',
  'DELETE FROM draft_files WHERE tenant_id = $1 AND draft_id = $2 AND id <> ALL ($3)',
);

/** The files of an input, their types detected from their bytes. */
export const filesOf = (given: readonly AttachedFile[]): Promise<DraftFile[]> =>
  Promise.all(
    given.map(async ({ contentBase64, filename, mimeType, uploadId }) => {
      if (uploadId !== undefined)
        return { id: uploadId, filename, mimeType, declaredMimeType: null, bytes: null };
      if (typeof contentBase64 !== 'string') throw new Error('a draft’s files come in its body');
      const bytes = Buffer.from(contentBase64, 'base64');
      const detected = await attachmentType(bytes, (mimeType ?? '').toLowerCase());
      return {
        id: newId('att'),
        filename,
        mimeType: detected,
        declaredMimeType: mimeType,
        bytes,
      };
    }),
  );

/** A draft, and its mailbox. */
export interface FiledIn {
  readonly id: string;
  readonly mailboxId: string;
}

/**
 * Makes these the files of a draft; null leaves those that it has.
 * @returns whether that changed anything
 * @throws Problem QUOTA_EXCEEDED, UPLOAD_NOT_FOUND, ATTACHMENTS_TOO_LARGE
 */
export async function replaceFiles(
  { rows }: Pick<Changing, 'rows'>,
  { id, mailboxId }: FiledIn,
  files: readonly DraftFile[] | null,
  quotaStoredBytes: number,
): Promise<boolean> {
  if (files === null) return false;
  const ids = files.map((file) => file.id);
  const before = (await rows(list, [id])).map((file) => file.id);
  if (before.length === ids.length && before.every((file, i) => file === ids[i])) return false;
  await rows(drop, [id, ids]);
  await addFiles({ rows }, { id, mailboxId }, files, quotaStoredBytes);
  return true;
}

/** Stores the files of a new draft, and names those that are there. @throws Problem as `replaceFiles` */
export async function addFiles(
  { rows }: Pick<Changing, 'rows'>,
  { id, mailboxId }: FiledIn,
  files: readonly DraftFile[],
  quotaStoredBytes: number,
): Promise<void> {
  if (files.length === 0) return;
  const given = files.flatMap((file) => (file.bytes ? [{ ...file, bytes: file.bytes }] : []));
  if (given.length > 0) {
    const bytes = given.reduce((sum, file) => sum + file.bytes.length, 0);
    await requireRoomFor({ rows }, 'storedBytes', quotaStoredBytes, bytes);
    const column = <K extends keyof DraftFile>(of: K) => given.map((file) => file[of]);
    const names = [column('id'), column('filename'), column('mimeType')];
    const sizes = given.map((file) => file.bytes.length);
    await rows(keep, [mailboxId, id, ...names, column('declaredMimeType'), sizes]);
    const pieces = given.flatMap(piecesOf);
    const [ids, starts, contents] = [0, 1, 2].map((i) => pieces.map((piece) => piece[i]));
    await rows(keepPieces, [ids, starts, contents]);
  }
  const named = await rows(name, [mailboxId, id, files.map((file) => file.id)]);
  if (named.length < files.length) throw new Problem('UPLOAD_NOT_FOUND');
  const characters = named.reduce((sum, { size }) => sum + base64Length(size), 0);
  if (characters > attachedCharactersMax) throw new Problem('ATTACHMENTS_TOO_LARGE');
}

const piecesOf = ({ id, bytes }: { readonly id: string; readonly bytes: Buffer }) =>
  Array.from(
    { length: Math.ceil(bytes.length / filePieceBytes) },
    (_, i): readonly [string, number, Buffer] => [
      id,
      i * filePieceBytes,
      bytes.subarray(i * filePieceBytes, (i + 1) * filePieceBytes),
    ],
  );
