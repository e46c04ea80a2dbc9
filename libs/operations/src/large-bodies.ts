import { ConfigError, type Log, setting } from '@postroom/service';
import { ByReferenceBus, type Bus } from '@postroom/bus';
import type { BlobStore } from '@postroom/persistence/blobs/blob-store';
import { openBlobs } from '@postroom/persistence';

/** Settings of the store for large bodies in transit. */
export class BlobsConfig {
  @setting.url(
    'BLOBS_DATABASE_URL',
    'PostgreSQL, as the role of schema `blobs`; two passwords as in `DATABASE_URL`.',
    { protocols: ['postgres:', 'postgresql:'] },
  )
  blobsDatabaseUrl!: string;

  @setting.url(
    'BLOBS_S3_URL',
    'Bucket for large bodies instead of PostgreSQL: `https://key:secret@host/bucket`, percent-encoded.',
    { protocols: ['http:', 'https:'], nullable: true },
  )
  blobsS3Url!: string | null;

  @setting.text('BLOBS_S3_REGION', 'Region of that bucket.', { default: 'us-east-1' })
  blobsS3Region!: string;
}

/** A service's bus for bodies of any size, with the store that carries the large ones. */
export interface LargeBodies {
  readonly bus: Bus;
  readonly blobs: BlobStore;
  /** Closes the store; the bus that was given stays open. */
  close(): Promise<void>;
}

/** @throws ConfigError when the bucket's URL has no key */
export function carryLargeBodies(bus: Bus, config: BlobsConfig, log: Log): LargeBodies {
  requireKey(config);
  const blobs = openBlobs(config, (err) => {
    log.warn({ err }, 'large bodies: the blob store failed');
  });
  return { bus: new ByReferenceBus(bus, blobs, log), blobs, close: () => blobs.close() };
}

function requireKey({ blobsS3Url }: BlobsConfig): void {
  if (blobsS3Url === null) return;
  const { username, password } = new URL(blobsS3Url);
  if (username !== '' && password !== '') return;
  const [found, allowed] = ['names no key', 'https://key:secret@host/bucket'];
  throw new ConfigError([{ variable: 'BLOBS_S3_URL', found, allowed }]);
}
