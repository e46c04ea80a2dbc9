import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import {
  filePieceBytes,
  Problem,
  uploadBytesMax,
  uploadSteps,
  type BegunUpload,
  type UploadFile,
} from '@postroom/contracts';
import { Budget } from '@postroom/limits';
import { OperationClient } from '@postroom/operations';
import type { FastifyRequest } from 'fastify';
import { limits } from '../../limits.js';
import { requireSuccess } from '../../problems.js';
import { chunksOf, longUploads } from './body-chunks.js';
import { cutOff } from './read-body.js';

/** An upload may pause for so long. */
const idleTimeoutMs = 30_000;

/**
 * Takes a file of a request's body in bounded memory: the body is read no faster than its pieces are stored, each
 * in a commit of its own. What was taken of one that is cut off is deleted as any that no draft names.
 */
@Injectable()
export class FileUploads {
  private readonly places = new Budget(limits.fileUploads);

  constructor(@Inject(OperationClient) private readonly operations: OperationClient) {}

  /** @throws Problem BODY_TOO_LARGE, INVALID_REQUEST when it is cut off, of the service; LimitReached */
  async upload(caller: Caller, input: object, request: FastifyRequest): Promise<ReplyEnvelope> {
    return this.places.runInTurn({ workspace: caller.tenantId }, () =>
      this.taken(caller, input as UploadFile, request),
    );
  }

  private async taken(
    caller: Caller,
    file: UploadFile,
    request: FastifyRequest,
  ): Promise<ReplyEnvelope> {
    const { headers, raw, id: requestId } = request;
    if (Number(headers['content-length'] ?? 0) > uploadBytesMax)
      throw new Problem('BODY_TOO_LARGE');
    const declared = headers['content-type']?.slice(0, 255) ?? null;
    const options = { requestId };
    const begun = await this.operations.call(
      uploadSteps.begin,
      caller,
      { ...file, declared },
      options,
    );
    const { id } = JSON.parse(requireSuccess(begun).body.toString()) as BegunUpload;
    longUploads.add(raw.socket);
    try {
      let size = 0;
      for await (const piece of pieces(chunksOf(raw, idleTimeoutMs))) {
        const step = { id, start: size, piece: piece.toString('base64') };
        requireSuccess(await this.operations.call(uploadSteps.take, caller, step, options));
        size += piece.length;
      }
      return requireSuccess(
        await this.operations.call(uploadSteps.end, caller, { id, size }, options),
      );
    } finally {
      longUploads.delete(raw.socket);
      raw.resume();
    }
  }
}

/** The bytes of a file in pieces of the same length, the last one apart. @throws Problem BODY_TOO_LARGE */
async function* pieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  let size = 0;
  const source = chunks[Symbol.asyncIterator]();
  for (;;) {
    const next = await source.next().catch((error: unknown) => {
      throw error instanceof Problem ? error : cutOff();
    });
    if (next.done === true) break;
    size += next.value.length;
    if (size > uploadBytesMax) throw new Problem('BODY_TOO_LARGE');
    waiting.push(next.value);
    length += next.value.length;
    if (length < filePieceBytes) continue;
    const all = Buffer.concat(waiting, length);
    let at = 0;
    for (; length - at >= filePieceBytes; at += filePieceBytes)
      yield all.subarray(at, at + filePieceBytes);
    waiting = [all.subarray(at)];
    length -= at;
  }
  if (length > 0) yield Buffer.concat(waiting, length);
}
