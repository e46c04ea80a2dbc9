import { Injectable } from '@nestjs/common';
import {
  Problem,
  type BlobStore,
  type StreamedPart,
  type StoredContent,
} from '@postroom/contracts';
import type { Log } from '@postroom/service';
import type { FastifyRequest } from 'fastify';
import { longUploads, withinSilence } from '../imports/index.js';
import { cutOff } from './read-body.js';
import type { Path } from './json-places.js';
import { JsonScanner } from './json-scanner.js';
import { PartUpload, type UploadLimits } from './part-upload.js';
import { aheadOfAll, Turns } from './turns.js';

/**
 * What stays of a body after its parts are put apart: the largest text has room with each of its
 * characters escaped (a million of them, twelve bytes each), and 500 addresses so beside it.
 */
const restBytesMax = 20 * 1024 * 1024;
/** And its values: a text of megabytes is soon parsed, a million lists are not. */
const valuesMax = 50_000;
/** How long a body may take without a byte, and at all: a blob that nobody claims lasts an hour. */
const silenceMaxMs = 30_000;
const wholeMaxMs = 5 * 60_000;

/** As far as that a body does not wait for those that came before it: most are no larger. */
const smallBytes = 256 * 1024;

/** A body whose parts were put apart: its JSON text without them. */
export interface RemainingBody {
  readonly bytes: Buffer;
  /** Puts where the parts are in their places in the parsed text. */
  readonly place: (value: unknown) => unknown;
}

/**
 * Reads bodies whose large parts are base64 texts: each is decoded as it comes, and put into the blob
 * store, so that neither the process nor the bus ever holds one whole. A request with such a body under
 * way costs a few hundred kilobytes, and no connection to a database while nothing comes.
 */
@Injectable()
export class StreamedBodies {
  private readonly turns = new Turns();
  private readonly put = new WeakMap<FastifyRequest, PartUpload>();

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
    const put = new PartUpload(this.blobs, tenantOf(request), limitsOf(parts));
    this.put.set(request, put);
    const scanner = new JsonScanner(
      parts.map(({ path }) => path),
      put,
    );
    const turn = this.turns.place();
    let bytes = 0;
    for await (const chunk of chunksOf(request, bytesMax)) {
      await this.turns.mine(bytes < smallBytes ? aheadOfAll : turn, chunk.length);
      bytes += chunk.length;
      scanner.push(chunk);
      giveBack(chunk);
      if (scanner.length > restBytesMax || scanner.values > valuesMax) {
        throw new Problem('BODY_TOO_LARGE');
      }
      await put.written().catch(unavailable);
    }
    return {
      bytes: scanner.end(),
      place: (value) => parts.reduce((sum, { path }) => placed(sum, path, put.contents), value),
    };
  }

  /** Takes back what was put apart of a request: it has been answered. Nobody waits for it. */
  letGo(request: FastifyRequest): void {
    this.put
      .get(request)
      ?.drop()
      .catch((err: unknown) => {
        // It is forgotten after an hour.
        this.log.warn({ err, requestId: request.id }, 'bodies: what was put apart was not dropped');
      });
    this.put.delete(request);
  }
}

/**
 * Gives the memory of a chunk back: what is left to the collector of garbage has it look through the
 * whole heap, once for every second body.
 */
function giveBack({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

const unavailable = (cause: unknown): never => {
  throw new Problem('SERVICE_UNAVAILABLE', { cause });
};

function tenantOf({ edge }: FastifyRequest): string {
  if (!edge.authorization) throw new Problem('UNAUTHENTICATED');
  return edge.authorization.caller.tenantId;
}

const limitsOf = (parts: readonly StreamedPart[]): UploadLimits => ({
  countMax: Math.min(...parts.map(({ countMax }) => countMax)),
  charactersMax: Math.min(...parts.map(({ charactersMax }) => charactersMax)),
});

async function* chunksOf(request: FastifyRequest, bytesMax: number): AsyncGenerator<Buffer> {
  const { headers, raw } = request;
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw new Problem('BODY_TOO_LARGE');
  const { socket } = raw;
  const untilMs = performance.now() + wholeMaxMs;
  let size = 0;
  longUploads.add(socket);
  try {
    for await (const chunk of withinSilence(raw, silenceMaxMs)) {
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

/** A value with contents in the places of their marks; what else stands there stays. */
function placed(value: unknown, path: Path, contents: ReadonlyMap<string, StoredContent>): unknown {
  const [first, ...rest] = path;
  if (first === undefined)
    return typeof value === 'string' ? (contents.get(value) ?? value) : value;
  if (first === '*') {
    return Array.isArray(value) ? value.map((item) => placed(item, rest, contents)) : value;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, first)) return value;
  const inner: unknown = Reflect.get(value, first);
  return Array.isArray(value) ? value : { ...value, [first]: placed(inner, rest, contents) };
}
