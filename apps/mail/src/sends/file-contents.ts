import { Inject, Injectable } from '@nestjs/common';
import { Problem, type AttachedFile, type BlobStore } from '@postroom/contracts';
import type { ComposedFile } from '../outgoing/index.js';
import { blobsToken } from '../resources.js';

/** Finds the bytes of the files that are given with a message. */
@Injectable()
export class FileContents {
  constructor(@Inject(blobsToken) private readonly blobs: BlobStore | null) {}

  /**
   * One after the other, so that the store is left to others too.
   * @throws Problem SERVICE_UNAVAILABLE when what was put aside is not there any more
   */
  async of(tenantId: string, files: readonly AttachedFile[]): Promise<ComposedFile[]> {
    const found: ComposedFile[] = [];
    for (const { contentBase64, filename, mimeType } of files) {
      const content = await this.bytesOf(tenantId, contentBase64);
      found.push({ filename, declaredType: mimeType, content });
    }
    return found;
  }

  private async bytesOf(tenantId: string, content: AttachedFile['contentBase64']): Promise<Buffer[]> {
    if (typeof content === 'string') return [Buffer.from(content, 'base64')];
    const pieces = await this.blobs?.pieces(tenantId, content.reference);
    if (!pieces) throw new Problem('SERVICE_UNAVAILABLE');
    return pieces;
  }
}
