import { newId, type AttachedFile } from '@postroom/contracts';
import { attachmentType } from '@postroom/mime';
import { requireRoomFor, type Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';

/** A file as it is stored with a draft. */
export interface DraftFile {
  readonly id: string;
  readonly filename: string | null;
  readonly mimeType: string;
  readonly declaredMimeType: string | null;
  readonly bytes: Buffer;
}

const keep = statement<object>(
  'drafts.keep_files',
  `INSERT INTO draft_files
     (tenant_id, draft_id, id, filename, mime_type, declared_mime_type, bytes, size_bytes, position)
   SELECT $1, $2, f.id, f.filename, f.mime_type, f.declared, f.bytes, octet_length(f.bytes),
     f.position - 1
   FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[])
     WITH ORDINALITY AS f (id, filename, mime_type, declared, bytes, position)`,
);

const drop = statement<object>(
  'drafts.drop_files',
  'DELETE FROM draft_files WHERE tenant_id = $1 AND draft_id = $2 RETURNING id',
);

/** The files of an input, their types detected from their bytes. */
export const filesOf = (given: readonly AttachedFile[]): Promise<DraftFile[]> =>
  Promise.all(
    given.map(async ({ contentBase64, filename, mimeType }) => {
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

/**
 * Replaces the files of a draft.
 * @returns whether anything changed: there are files now, or were before
 * @throws Problem QUOTA_EXCEEDED
 */
export async function replaceFiles(
  { rows }: Pick<Changing, 'rows'>,
  draftId: string,
  files: readonly DraftFile[],
  quotaStoredBytes: number,
): Promise<boolean> {
  const dropped = await rows(drop, [draftId]);
  await addFiles({ rows }, draftId, files, quotaStoredBytes);
  return dropped.length > 0 || files.length > 0;
}

/** Stores the files of a new draft. @throws Problem QUOTA_EXCEEDED */
export async function addFiles(
  { rows }: Pick<Changing, 'rows'>,
  draftId: string,
  files: readonly DraftFile[],
  quotaStoredBytes: number,
): Promise<void> {
  if (files.length === 0) return;
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  await requireRoomFor({ rows }, 'storedBytes', quotaStoredBytes, bytes);
  const column = <K extends keyof DraftFile>(name: K) => files.map((file) => file[name]);
  const names = [column('id'), column('filename'), column('mimeType'), column('declaredMimeType')];
  await rows(keep, [draftId, ...names, column('bytes')]);
}
