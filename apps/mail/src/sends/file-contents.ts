import { Injectable } from '@nestjs/common';
import { Problem, type AttachedFile } from '@postroom/contracts';
import type { ComposedFile } from '../outgoing/index.js';

/** Finds the bytes of the files that are given with a message. */
@Injectable()
export class FileContents {
  /** @throws Problem SERVICE_UNAVAILABLE when what was put aside is not there any more */
  of(_tenantId: string, files: readonly AttachedFile[]): Promise<ComposedFile[]> {
    return Promise.all(
      files.map(async ({ contentBase64, filename, mimeType }) => {
        await Promise.resolve();
        if (typeof contentBase64 !== 'string') throw new Problem('SERVICE_UNAVAILABLE');
        const content = Buffer.from(contentBase64, 'base64');
        return { filename, declaredType: mimeType, content };
      }),
    );
  }
}
