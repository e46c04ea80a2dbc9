import { Injectable } from '@nestjs/common';
import {
  Problem,
  type BlobStore,
  type StreamedPart,
  type StoredContent,
} from '@postroom/contracts';
import type { Log } from '@postroom/service';
import type { FastifyRequest } from 'fastify';
import { chunksOf, longUploads } from './body-chunks.js';
import { cutOff } from './read-body.js';
import type { Path } from './json-path-matcher.js';
import { JsonScanner } from './json-scanner.js';
import { PartUpload, type UploadLimits } from './part-upload.js';
import { aheadOfAll, Turns } from './turns.js';

/**
 * The limit of a body without its uploaded parts. It has room for the largest text with each of its
 * million characters escaped, which takes twelve bytes, and for 500 escaped addresses.
 */
const remainderBytesMax = 20 * 1024 * 1024;
/** The limit of its values: megabytes of text are parsed fast, a million lists are not. */
const valuesMax = 50_000;
/** How long a body may pause, and take in all: an unclaimed blob is deleted after an hour. */
const idleTimeoutMs = 30_000;
const totalTimeoutMs = 5 * 60_000;

/** Up to this size, which most bodies do not exceed, a body does not wait for earlier ones. */
const smallBytes = 256 * 1024;

/** The JSON text of a body without its uploaded parts. */
export interface RemainingBody {
  readonly bytes: Buffer;
  /** Replaces the placeholders in the parsed text by the uploaded parts. */
  readonly restore: (value: unknown) => unknown;
}

/**
 * Reads bodies with large base64 parts, and uploads these to the blob store as they arrive, so that
 * neither the process nor the bus holds a whole one. A body that is being read takes a few hundred
 * kilobytes, and no database connection while it pauses.
 */
@Injectable()
export class StreamedBodies {
  private readonly turns = new Turns();
  private readonly uploads = new WeakMap<FastifyRequest, PartUpload>();

  constructor(
    private readonly blobs: BlobStore,
    private readonly log: Log,
  ) {}

  /** @throws Problem BODY_TOO_LARGE, INVALID_REQUEST when it is cut off, SERVICE_UNAVAILABLE */
  async read(
    request: FastifyRequest,
    parts: readonly StreamedPart[],
    bytesMax: number,
  ): Promise<RemainingBody> {
    const upload = new PartUpload(this.blobs, tenantOf(request), limitsOf(parts));
    this.uploads.set(request, upload);
    const scanner = new JsonScanner(
      parts.map(({ path }) => path),
      upload,
    );
    const turn = this.turns.place();
    let bytes = 0;
    for await (const chunk of boundedChunks(request, bytesMax)) {
      await this.turns.mine(bytes < smallBytes ? aheadOfAll : turn, chunk.length);
      bytes += chunk.length;
      scanner.push(chunk);
      releaseMemory(chunk);
      if (scanner.length > remainderBytesMax || scanner.values > valuesMax) {
        throw new Problem('BODY_TOO_LARGE');
      }
      await upload.flush().catch(unavailable);
    }
    return {
      bytes: scanner.end(),
      restore: (value) =>
        parts.reduce((sum, { path }) => restored(sum, path, upload.contents), value),
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

/** Replaces the placeholders at a path; any other value there stays as it is. */
function restored(
  value: unknown,
  path: Path,
  contents: ReadonlyMap<string, StoredContent>,
): unknown {
  const [first, ...rest] = path;
  if (first === undefined)
    return typeof value === 'string' ? (contents.get(value) ?? value) : value;
  if (first === '*') {
    return Array.isArray(value) ? value.map((item) => restored(item, rest, contents)) : value;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, first)) return value;
  const inner: unknown = Reflect.get(value, first);
  return Array.isArray(value) ? value : { ...value, [first]: restored(inner, rest, contents) };
}
