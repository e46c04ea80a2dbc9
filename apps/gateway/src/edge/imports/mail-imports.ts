import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import {
  importedMessageBytesMax,
  importSteps,
  invalidField,
  Problem,
  type BegunImport,
  type EndImport,
  type ImportMail,
} from '@postroom/contracts';
import {
  MboxSplitter,
  NoMbox,
  SeveralMessages,
  SingleMessage,
  type SplitMessage,
} from '@postroom/formats';
import { Budget, Pieces } from '@postroom/limits';
import { OperationClient } from '@postroom/operations';
import type { FastifyRequest } from 'fastify';
import { limits } from '../../limits.js';
import { requireSuccess } from '../../problems.js';
import { chunksOf, longUploads } from '../bodies/body-chunks.js';
import { MessageBatches } from './message-batches.js';

/** An import may pause for so long, in its body or in storing it (`decisions.md` §11). */
const idleTimeoutMs = 30_000;

/** Finds the messages in a body as it arrives. */
interface Splitter {
  push(chunk: Buffer): SplitMessage[];
  end(): SplitMessage[];
}

const splitters: Readonly<Record<string, (bytesMax: number) => Splitter>> = {
  'application/mbox': (bytesMax) => new MboxSplitter(bytesMax),
  'message/rfc822': (bytesMax) => new SingleMessage(bytesMax),
};

/**
 * Imports the mail of a request's body, whatever its length, in bounded memory: the body is read no
 * faster than its messages are stored.
 */
@Injectable()
export class MailImports {
  private readonly places = new Budget(limits.mailImports);

  constructor(
    @Inject(OperationClient) private readonly operations: OperationClient,
    private readonly pieces: Pieces,
  ) {}

  /** @throws Problem INVALID_REQUEST, MAILBOX_NOT_FOUND; LimitReached */
  async importMail(caller: Caller, input: object, request: FastifyRequest): Promise<ReplyEnvelope> {
    const workspace = caller.tenantId;
    return this.places.runInTurn({ workspace }, () => this.import(caller, input, request));
  }

  private async import(
    caller: Caller,
    input: object,
    request: FastifyRequest,
  ): Promise<ReplyEnvelope> {
    const splitter = splitterFor(request);
    const { id: requestId } = request;
    const { id: mailboxId } = input as ImportMail;
    const begun = await this.operations.call(
      importSteps.begin,
      caller,
      { mailboxId },
      { requestId },
    );
    const { id } = JSON.parse(requireSuccess(begun).body.toString()) as BegunImport;
    const batches = new MessageBatches(this.operations, { id, caller, requestId, idleTimeoutMs });
    const end = (state: EndImport['state'], bytesRead: number): Promise<ReplyEnvelope> =>
      this.operations.call(
        importSteps.end,
        caller,
        { id, state, bytesRead },
        { requestId, idempotencyKey: id },
      );
    const body = new CountedBody(request);
    try {
      let found = 0;
      const all = this.pieces.split(caller.tenantId, body.chunks(), splitter);
      for await (const messages of all) {
        found += messages.length;
        await batches.addMessages(messages, body.bytesRead);
      }
      if (body.bytesRead > 0 && found === 0) throw noMessage();
      await batches.finish();
      return requireSuccess(await end('done', body.bytesRead));
    } catch (error) {
      await batches.idle();
      // If this fails too, the mail service ends the import after its idle timeout.
      await end('failed', body.bytesRead).catch(() => undefined);
      throw asRefusal(error);
    } finally {
      body.release();
    }
  }
}

/** A 200 for a body without a message would hide the loss. */
const noMessage = (): Problem =>
  invalidField(
    '',
    'aucun message dans le fichier mbox : ses lignes finissent-elles par LF ou CRLF ?',
    'found no message in the mbox file: do its lines end with LF or CRLF?',
  );

/** The body of a request, with a count of the bytes read. */
class CountedBody {
  bytesRead = 0;

  constructor(private readonly request: FastifyRequest) {
    longUploads.add(request.raw.socket);
  }

  async *chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of chunksOf(this.request.raw, idleTimeoutMs)) {
      this.bytesRead += chunk.length;
      yield chunk;
    }
  }

  /** Discards the rest of the body. */
  release(): void {
    longUploads.delete(this.request.raw.socket);
    this.request.raw.resume();
  }
}

function splitterFor({ headers }: FastifyRequest): Splitter {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const splitter = Object.hasOwn(splitters, type) ? splitters[type] : undefined;
  if (splitter) return splitter(importedMessageBytesMax);
  const types = Object.keys(splitters);
  throw invalidField(
    '',
    `Content-Type ${types.join(' ou ')} attendu`,
    `expected ${types.join(' or ')}`,
  );
}

function asRefusal(error: unknown): unknown {
  if (error instanceof NoMbox) {
    return invalidField(
      '',
      'fichier mbox attendu : il ne commence par aucune ligne « From »',
      'expected an mbox file: it begins with no `From ` line',
    );
  }
  if (error instanceof SeveralMessages) {
    return invalidField(
      '',
      'un seul message attendu : ce fichier mbox s’envoie comme application/mbox',
      'expected a single message: send this mbox file as application/mbox',
    );
  }
  // The sender has disconnected.
  const isBroken = error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
  return isBroken ? new Problem('INVALID_REQUEST', { cause: error }) : error;
}
