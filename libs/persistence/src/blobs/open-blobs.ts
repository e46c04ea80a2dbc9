import { PostgresBlobs } from './postgres-blobs.js';
import { S3Blobs } from './s3-blobs.js';

/** The store of bodies on their way: PostgreSQL, unless a bucket is named. */
export interface BlobSettings {
  /** As the role of schema `blobs`. */
  readonly blobsDatabaseUrl: string;
  /** `https://key:secret@host/bucket`, percent-encoded. */
  readonly blobsS3Url: string | null;
  readonly blobsS3Region: string;
}

/** @param onTrouble told of what could not be forgotten, or of a lost connection; both are tried again */
export function openBlobs(
  { blobsDatabaseUrl, blobsS3Url, blobsS3Region: region }: BlobSettings,
  onTrouble: (error: unknown) => void,
): PostgresBlobs | S3Blobs {
  if (blobsS3Url === null) return new PostgresBlobs({ url: blobsDatabaseUrl, onTrouble });
  const { origin, pathname, username, password } = new URL(blobsS3Url);
  return new S3Blobs({
    url: `${origin}${pathname}`,
    region,
    keyId: decodeURIComponent(username),
    secret: decodeURIComponent(password),
    onTrouble,
  });
}
