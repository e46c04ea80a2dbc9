import { setting } from '@postroom/service';

/** Where a service keeps bodies on their way: part of its configuration. */
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
