import { Injectable } from '@nestjs/common';
import { Problem, type StreamedPart } from '@postroom/contracts';
import type { Pieces } from '@postroom/limits';
import type { BlobStore } from '@postroom/persistence/blobs/blob-store';
import type { Log } from '@postroom/service';
import type { FastifyRequest } from 'fastify';
import { chunksOf, longUploads } from './body-chunks.js';
import { JsonBody } from './json-body.js';
import { PartUpload, type UploadLimits } from './part-upload.js';
import { cutOff, requireJsonType } from './read-body.js';

/** The limit of what is kept of a body beside its uploaded parts. */
const charactersMax = 20 * 1024 * 1024;
/** The limit of its values: megabytes of text are parsed fast, a million lists are not. */
const valuesMax = 50_000;
/** Limits for a pause of a body, and for the whole: an unclaimed blob is deleted after an hour. */
const idleTimeoutMs = 30_000;
const totalTimeoutMs = 5 * 60_000;

/**
 * Reads bodies with large base64 parts, and uploads these to the blob store as they arrive, so that
 * neither the process nor the bus holds a whole one. A body that is being read takes a few hundred
 * kilobytes, and no database connection while it pauses.
 */
@Injectable()
export class StreamedBodies {
  private readonly uploads = new WeakMap<FastifyRequest, PartUpload>();

  constructor(
    private readonly blobs: BlobStore,
    private readonly log: Log,
    private readonly pieces: Pieces,
  ) {}

  /**
   * Reads a body.
   *
   * @returns what gives its value, with the uploaded parts in their places
   * @throws Problem BODY_TOO_LARGE, INVALID_REQUEST when it is cut off, SERVICE_UNAVAILABLE
   */
  async read(
    request: FastifyRequest,
    parts: readonly StreamedPart[],
    bytesMax: number,
  ): Promise<() => unknown> {
    const tenantId = tenantOf(request);
    const upload = new PartUpload(this.blobs, tenantId, limitsOf(parts));
    this.uploads.set(request, upload);
    const body = new JsonBody(
      parts.map(({ path }) => path),
      upload,
    );
    const pieces = this.pieces.body(tenantId);
    let bytes = 0;
    for await (const chunk of boundedChunks(request, bytesMax)) {
      bytes += chunk.length;
      for await (const isTooLarge of pieces.of(chunk, (piece) => {
        body.push(piece);
        return body.characters > charactersMax || body.values > valuesMax;
      })) {
        if (isTooLarge) throw new Problem('BODY_TOO_LARGE');
        await upload.flush().catch(unavailable);
      }
      releaseMemory(chunk);
    }
    if (bytes === 0) return () => ({});
    return () => {
      requireJsonType(request.headers);
      return body.end();
    };
  }

  /** Deletes, in the background, what was uploaded for a request that has been answered. */
  discardUploads(request: FastifyRequest): void {
    this.uploads
      .get(request)
      ?.discard()
      .catch((err: unknown) => {
        this.log.warn(
          { err, requestId: request.id },
          'uploaded parts could not be deleted, they expire in an hour',
        );
      });
    this.uploads.delete(request);
  }
}

/**
 * Frees the memory of a chunk at once (goal S-large): left to the garbage collector, large bodies cause
 * a full collection for every second one.
 */
function releaseMemory({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

const unavailable = (cause: unknown): never => {
  throw new Problem('SERVICE_UNAVAILABLE', { cause });
};

function tenantOf({ state }: FastifyRequest): string {
  if (!state.authorization) throw new Problem('UNAUTHENTICATED');
  return state.authorization.caller.tenantId;
}

const limitsOf = (parts: readonly StreamedPart[]): UploadLimits => ({
  countMax: Math.min(...parts.map(({ countMax }) => countMax)),
  charactersMax: Math.min(...parts.map(({ charactersMax }) => charactersMax)),
});

async function* boundedChunks(request: FastifyRequest, bytesMax: number): AsyncGenerator<Buffer> {
  const { headers, raw } = request;
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw new Problem('BODY_TOO_LARGE');
  const { socket } = raw;
  const untilMs = performance.now() + totalTimeoutMs;
  let size = 0;
  longUploads.add(socket);
  try {
    for await (const chunk of chunksOf(raw, idleTimeoutMs)) {
      size += chunk.length;
      if (size > bytesMax) throw new Problem('BODY_TOO_LARGE');
      if (performance.now() > untilMs) {
        throw new Problem('SERVICE_UNAVAILABLE', { headers: { connection: 'close' } });
      }
      yield chunk;
    }
  } catch (error) {
    throw error instanceof Problem ? error : cutOff();
  } finally {
    longUploads.delete(socket);
    raw.resume();
  }
}
