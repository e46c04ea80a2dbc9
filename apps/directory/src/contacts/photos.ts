import { createHash } from 'node:crypto';
import { FileAnswer, Problem } from '@postroom/contracts';
import { requireRoomFor, type Changing, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const keep = statement<object>(
  'photos.keep',
  `INSERT INTO contact_photos AS p (tenant_id, sha256, bytes) VALUES ($1, $2, $3)
   ON CONFLICT (tenant_id, sha256) DO UPDATE SET given_at = now()`,
);

const read = statement<{ bytes: Buffer }>('photos.read', 'SELECT bytes FROM read_photo($1, $2)');

/** Photos that no contact has any more. */
export const purgePhotos = statement<{ purged: string }>(
  'photos.purge',
  'SELECT purge_photos() AS purged',
);

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');
const jpegSignature = Buffer.from('ffd8ff', 'hex');

/** The media type of a photo by its first bytes; null where it is neither PNG nor JPEG. */
export function photoType(bytes: Buffer): 'image/png' | 'image/jpeg' | null {
  const begins = (signature: Buffer): boolean =>
    bytes.subarray(0, signature.length).equals(signature);
  if (begins(pngSignature)) return 'image/png';
  return begins(jpegSignature) ? 'image/jpeg' : null;
}

/**
 * Stores a photo for a contact of the same transaction.
 * @param limit bytes that the workspace may store
 * @returns what the contact names it by
 * @throws Problem QUOTA_EXCEEDED
 */
export async function keepPhoto(
  context: Pick<Changing, 'rows'>,
  bytes: Buffer,
  limit: number,
): Promise<string> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await requireRoomFor(context, 'storedBytes', limit, bytes.length);
  await context.rows(keep, [sha256, bytes]);
  return sha256;
}

/** The photo of a contact as it is downloaded. @throws Problem PHOTO_NOT_FOUND */
export async function photoAnswer(
  context: Pick<Reading, 'rows'>,
  { photo }: { readonly photo: string | null },
): Promise<FileAnswer> {
  const bytes = photo === null ? null : await readPhoto(context, photo);
  if (!bytes) throw new Problem('PHOTO_NOT_FOUND');
  return new FileAnswer(bytes, {
    'content-type': photoType(bytes) ?? 'application/octet-stream',
    'content-disposition': 'inline',
    'content-security-policy': "default-src 'none'; sandbox",
  });
}

/** The bytes of a photo; null where there is none. */
export async function readPhoto(
  { rows }: Pick<Reading, 'rows'>,
  sha256: string,
): Promise<Buffer | null> {
  const [found] = await rows(read, [sha256]);
  return found?.bytes ?? null;
}
