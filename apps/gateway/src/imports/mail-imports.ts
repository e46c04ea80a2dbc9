import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import { InFlight } from '@postroom/concurrency';
import {
  importedMessageBytesMax,
  importSteps,
  invalidField,
  Problem,
  type BegunImport,
  type EndImport,
  type ImportMail,
} from '@postroom/contracts';
import { OperationClient } from '@postroom/operations';
import type { FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { granted, Handover } from './handover.js';
import { MboxSplitter, NoMbox, type SplitMessage } from './mbox-splitter.js';
import { WholeMessage } from './whole-message.js';
import { withinSilence } from './within-silence.js';

/** How long an import may go without a byte or a stored message (`decisions.md` §11). */
const silenceMaxMs = 30_000;

/** What finds the messages in a body as its bytes come. */
interface Splitter {
  push(chunk: Buffer): SplitMessage[];
  end(): SplitMessage[];
}

const splitters: Readonly<Record<string, (bytesMax: number) => Splitter>> = {
  'application/mbox': (bytesMax) => new MboxSplitter(bytesMax),
  'message/rfc822': (bytesMax) => new WholeMessage(bytesMax),
};

/** Each may hold a message of 50 MiB, several times over on its way. */
const inFlightMax = 3;

/** Connections whose request may take as long as bytes keep coming. */
export const longUploads = new WeakSet<Socket>();

/**
 * Imports the mail of a request's body, whatever its length, in bounded memory: the body is read no
 * faster than its messages are stored.
 */
@Injectable()
export class MailImports {
  private readonly inFlight = new InFlight();

  constructor(@Inject(OperationClient) private readonly operations: OperationClient) {}

  /** @throws Problem INVALID_REQUEST, MAILBOX_NOT_FOUND, SERVICE_UNAVAILABLE also past three at a time */
  async run(caller: Caller, input: object, request: FastifyRequest): Promise<ReplyEnvelope> {
    if (this.inFlight.size >= inFlightMax) throw new Problem('SERVICE_UNAVAILABLE');
    return this.inFlight.run(() => this.import(caller, input, request));
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
    const { id } = JSON.parse(granted(begun).body.toString()) as BegunImport;
    const handover = new Handover(this.operations, { id, caller, requestId, silenceMaxMs });
    const end = (state: EndImport['state'], bytesRead: number): Promise<ReplyEnvelope> =>
      this.operations.call(
        importSteps.end,
        caller,
        { id, state, bytesRead },
        { requestId, idempotencyKey: id },
      );
    const body = new CountedBody(request);
    try {
      await pump(body, splitter, handover);
      return granted(await end('done', body.bytesRead));
    } catch (error) {
      await handover.settled();
      // Failing to say so is found out by the silence that follows.
      await end('failed', body.bytesRead).catch(() => undefined);
      throw asRefusal(error);
    } finally {
      body.letGo();
    }
  }
}

/** @throws Problem INVALID_REQUEST for bytes without a message: a 200 would lose them unseen */
async function pump(body: CountedBody, splitter: Splitter, handover: Handover): Promise<void> {
  let found = 0;
  for await (const chunk of body.chunks()) {
    const messages = splitter.push(chunk);
    found += messages.length;
    await handover.add(messages, body.bytesRead);
  }
  const rest = splitter.end();
  if (body.bytesRead > 0 && found + rest.length === 0) throw noMessage();
  await handover.add(rest, body.bytesRead);
  await handover.finish();
}

const noMessage = (): Problem =>
  invalidField(
    '',
    'aucun message dans le fichier mbox : ses lignes finissent-elles par LF ou CRLF ?',
    'found no message in the mbox file: do its lines end with LF or CRLF?',
  );

/** The body of a request, counted as it comes. */
class CountedBody {
  bytesRead = 0;

  constructor(private readonly request: FastifyRequest) {
    longUploads.add(request.raw.socket);
  }

  async *chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of withinSilence(this.request.raw, silenceMaxMs)) {
      this.bytesRead += chunk.length;
      yield chunk;
    }
  }

  /** What is still to come is read by nobody. */
  letGo(): void {
    longUploads.delete(this.request.raw.socket);
    this.request.raw.resume();
  }
}

function splitterFor({ headers }: FastifyRequest): Splitter {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw invalidField('', 'corps sans Content-Encoding attendu', 'expected no Content-Encoding');
  }
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
  // A body that breaks off is its sender's affair.
  const isBroken = error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
  return isBroken ? new Problem('INVALID_REQUEST', { cause: error }) : error;
}
