import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import { InFlight } from '@postroom/concurrency';
import {
  contactBatchMax,
  contactEntryBytesMax,
  contactFileTypes,
  contactImportSteps,
  invalidField,
  Problem,
  unreadableMax,
  type ContactImport,
  type ContactImportCounts,
  type ImportContacts,
  type TakeContacts,
} from '@postroom/contracts';
import { OperationClient } from '@postroom/operations';
import type { FastifyRequest } from 'fastify';
import {
  CsvSplitter,
  VcardSplitter,
  type EntrySplitter,
  type SplitEntry,
} from './entry-splitters.js';
import { chunksOf } from './idle-timeout.js';
import { longUploads } from './mail-imports.js';
import { requireSuccess } from './message-batches.js';

/** How long an import may pause (`decisions.md` §11). */
const idleTimeoutMs = 30_000;
const inFlightMax = 3;

/** Base64 characters of a batch, so that it needs no blob store on the bus. */
const batchCharactersMax = 200 * 1024;

type MediaType = TakeContacts['mediaType'];

const splitters: Readonly<Record<MediaType, () => EntrySplitter>> = {
  'text/vcard': () => new VcardSplitter(contactEntryBytesMax),
  'text/csv': () => new CsvSplitter(contactEntryBytesMax),
};

/**
 * Imports the contacts of a request's body, whatever its length, in bounded memory: the body is read no
 * faster than its entries are stored.
 */
@Injectable()
export class ContactImports {
  private readonly inFlight = new InFlight();

  constructor(@Inject(OperationClient) private readonly operations: OperationClient) {}

  /** @throws Problem INVALID_REQUEST, BOOK_NOT_FOUND, SERVICE_UNAVAILABLE also for a fourth import at once */
  async run(caller: Caller, input: object, request: FastifyRequest): Promise<ReplyEnvelope> {
    if (this.inFlight.size >= inFlightMax) throw new Problem('SERVICE_UNAVAILABLE');
    return this.inFlight.run(() => this.import(caller, input as ImportContacts, request));
  }

  private async import(
    caller: Caller,
    { id: bookId, dryRun }: ImportContacts,
    request: FastifyRequest,
  ): Promise<ReplyEnvelope> {
    const mediaType = mediaTypeOf(request);
    const splitter = splitters[mediaType]();
    const steps = new ContactSteps(async (step) => {
      const given = { ...step, bookId, mediaType, dryRun };
      const options = { requestId: request.id };
      return requireSuccess(
        await this.operations.call(contactImportSteps.take, caller, given, options),
      );
    }, mediaType === 'text/csv');
    longUploads.add(request.raw.socket);
    try {
      for await (const chunk of chunksOf(request.raw, idleTimeoutMs))
        await steps.add(splitter.push(chunk));
      await steps.add(splitter.end());
      return await steps.finish();
    } catch (error) {
      throw asRefusal(error);
    } finally {
      longUploads.delete(request.raw.socket);
      request.raw.resume();
    }
  }
}

type Step = Pick<TakeContacts, 'header' | 'entries' | 'first'>;

/** Hands the entries of an import over in order and in batches, and sums what became of them. */
class ContactSteps {
  private header: string | null;
  private entries: string[] = [];
  private characters = 0;
  private first = 0;
  private reply: ReplyEnvelope | null = null;
  private readonly sum: ContactImport = {
    created: 0,
    updated: 0,
    unreadable: [],
    unreadableCount: 0,
  };

  constructor(
    private readonly take: (step: Step) => Promise<ReplyEnvelope>,
    hasHeader: boolean,
  ) {
    this.header = hasHeader ? null : '';
  }

  async add(entries: readonly SplitEntry[]): Promise<void> {
    for (const entry of entries) {
      const text = entry === null ? '-' : entry.toString('base64');
      if (this.header === null) {
        this.header = text;
        continue;
      }
      const isFull = this.characters + text.length > batchCharactersMax;
      if (isFull || this.entries.length >= contactBatchMax) await this.send();
      this.entries.push(text);
      this.characters += text.length;
    }
  }

  /** An import of nothing asks too, so that an unknown book is told. */
  async finish(): Promise<ReplyEnvelope> {
    if (this.entries.length > 0 || this.reply === null) await this.send();
    if (this.first === 0) throw nothingFound();
    const body = Buffer.from(JSON.stringify(this.sum));
    return { ...(this.reply as unknown as ReplyEnvelope), headers: {}, body };
  }

  private async send(): Promise<void> {
    const { entries, first } = this;
    this.reply = await this.take({ header: this.header ?? '', entries, first });
    this.first += entries.length;
    this.entries = [];
    this.characters = 0;
    const counts = JSON.parse(this.reply.body.toString()) as ContactImportCounts;
    this.sum.created += counts.created;
    this.sum.updated += counts.updated;
    this.sum.unreadableCount += counts.unreadable.length;
    const room = unreadableMax - this.sum.unreadable.length;
    this.sum.unreadable.push(...counts.unreadable.slice(0, room));
  }
}

function mediaTypeOf({ headers }: FastifyRequest): MediaType {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const known = contactFileTypes.find((one) => one === type);
  if (known && (headers['content-encoding'] ?? 'identity') === 'identity') return known;
  const types = contactFileTypes.join(' ou ');
  throw invalidField(
    '',
    `Content-Type ${types} sans Content-Encoding attendu`,
    `expected ${contactFileTypes.join(' or ')} without Content-Encoding`,
  );
}

const nothingFound = (): Problem =>
  invalidField('', 'aucune fiche dans le fichier', 'found no card and no row in the file');

function asRefusal(error: unknown): unknown {
  const isBroken = error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
  return isBroken ? new Problem('INVALID_REQUEST', { cause: error }) : error;
}
