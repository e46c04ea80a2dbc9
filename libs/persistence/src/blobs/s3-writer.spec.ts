import { describe, expect, it } from '@jest/globals';
import { Budget } from '@postroom/limits';
import { limits } from '../limits.js';
import { S3Writer, type Bucket } from './s3-writer.js';

// The limit persistence.parts.
describe('parts of large bodies', () => {
  it('of one workspace that hang leave another one its turn', async () => {
    const sent: string[] = [];
    const client = {
      getMultipartUploadId: (object: string) => Promise.resolve(object),
      uploadPart: (object: string) => {
        sent.push(object);
        return object === 'other' ? Promise.resolve({}) : new Promise(() => undefined);
      },
    } as unknown as Bucket['client'];
    const bucket = {
      client,
      uploads: new Map<string, string>(),
      sending: new Budget(limits.parts),
    };
    const write = (workspace: string) =>
      new S3Writer(bucket, workspace, 'a', workspace).append(Buffer.alloc(6 * 1024 * 1024));
    for (let i = 0; i < 6; i++) void write('slow');
    await write('other');
    expect(sent).toEqual(['slow', 'slow', 'slow', 'other']);
  });
});
