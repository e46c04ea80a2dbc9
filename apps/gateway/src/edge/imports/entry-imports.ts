import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import {
  cardBytesMax,
  entryBatchMax,
  entryBytesMax,
  invalidField,
  Problem,
  unreadableMax,
  workspaceFacts,
  zonesBytesMax,
  type EntryBatch,
  type EntryCounts,
  type ImportOutcome,
  type Operation,
  type WorkspaceFacts,
} from '@postroom/contracts';
import {
  CalendarSplitter,
  ComponentSplitter,
  CsvSplitter,
  TextStream,
  type EntrySplitter,
  type SplitEntry,
} from '@postroom/formats';
import { Budget, Pieces } from '@postroom/limits';
import { OperationClient } from '@postroom/operations';
import type { FastifyRequest } from 'fastify';
import { limits } from '../../limits.js';
import { requireSuccess } from '../../problems.js';
import { chunksOf } from '../bodies/body-chunks.js';
import { longUploads } from '../bodies/body-chunks.js';

/** An import may pause for so long (`decisions.md` §11). */
const idleTimeoutMs = 30_000;

/** Base64 characters of a batch, so that it needs no blob store on the bus. */
const batchCharactersMax = 200 * 1024;

const splitters: Readonly<Record<string, () => EntrySplitter>> = {
  'text/vcard': () => new ComponentSplitter('VCARD', cardBytesMax),
  'text/csv': () => new CsvSplitter(entryBytesMax),
  'text/calendar': () => new CalendarSplitter(entryBytesMax, zonesBytesMax, heldBytesMax),
};

/** Bytes of a calendar that are read before it is handed over, of each of four imports at once. */
const heldBytesMax = 8 * 1024 * 1024;

/**
 * Imports the contacts or events of a request's body, whatever its length, in bounded memory: the body is
 * read no faster than its entries are stored.
 */
@Injectable()
export class EntryImports {
  private readonly places = new Budget(limits.entryImports);

  constructor(
    @Inject(OperationClient) private readonly operations: OperationClient,
    private readonly pieces: Pieces,
  ) {}

  /** @throws Problem INVALID_REQUEST, of the service; LimitReached */
  async importEntries(
    operation: Operation,
    caller: Caller,
    input: object,
    request: FastifyRequest,
  ): Promise<ReplyEnvelope> {
    return this.places.runInTurn({ workspace: caller.tenantId }, () =>
      this.import(operation, caller, input, request),
    );
  }

  private async import(
    operation: Operation,
    caller: Caller,
    input: object,
    request: FastifyRequest,
  ): Promise<ReplyEnvelope> {
    const { mediaTypes, entries } = operation.upload ?? { mediaTypes: [] };
    const mediaType = mediaTypeOf(request, mediaTypes);
    const made = splitters[mediaType]?.();
    if (!made || !entries) throw new Error(`${operation.id} takes no ${mediaType}`);
    const splitter = new TextStream(made);
    const timeZone = mediaType === 'text/calendar' ? await this.zoneOf(caller, request.id) : 'UTC';
    const steps = new ImportSteps(async (step) => {
      const zones = splitter.zones.toString('base64');
      const given = entries.inputOf(input, { mediaType, zones, timeZone, ...step });
      const options = { requestId: request.id };
      return requireSuccess(await this.operations.call(entries.take, caller, given, options));
    });
    longUploads.add(request.raw.socket);
    try {
      const chunks = chunksOf(request.raw, idleTimeoutMs);
      for await (const found of this.pieces.split(caller.tenantId, chunks, splitter))
        await steps.addEntries(found);
      return await steps.finish();
    } catch (error) {
      throw asRefusal(error);
    } finally {
      longUploads.delete(request.raw.socket);
      request.raw.resume();
    }
  }

  /** The workspace's zone. */
  private async zoneOf(caller: Caller, requestId: string): Promise<string> {
    const answer = await this.operations.call(workspaceFacts.get, caller, {}, { requestId });
    return (JSON.parse(requireSuccess(answer).body.toString()) as WorkspaceFacts).timeZone;
  }
}

type Step = Omit<EntryBatch, 'mediaType' | 'zones' | 'timeZone'>;

/** Hands the entries of an import over in order and in batches, and sums what became of them. */
class ImportSteps {
  private header = '';
  private entries: string[] = [];
  private places: number[] = [];
  private characters = 0;
  private hasEntries = false;
  private reply: ReplyEnvelope | null = null;
  private readonly sum: ImportOutcome = {
    ...{ created: 0, updated: 0, unreadable: [], unreadableCount: 0 },
    ...{ warnings: [], warningCount: 0 },
  };

  constructor(private readonly take: (step: Step) => Promise<ReplyEnvelope>) {}

  async addEntries(entries: readonly SplitEntry[]): Promise<void> {
    for (const { place, bytes } of entries) {
      const text = bytes === null ? '-' : bytes.toString('base64');
      if (place === 0) {
        this.header = text;
        continue;
      }
      const isFull =
        this.characters + text.length > batchCharactersMax || this.entries.length >= entryBatchMax;
      if (isFull && this.entries.length > 0) await this.send();
      this.entries.push(text);
      this.places.push(place);
      this.characters += text.length;
    }
  }

  /** An import of nothing asks too, so that an unknown book or calendar is told. */
  async finish(): Promise<ReplyEnvelope> {
    if (this.entries.length > 0 || this.reply === null) await this.send();
    if (!this.hasEntries) throw nothingFound();
    const body = Buffer.from(JSON.stringify(this.sum));
    return { ...(this.reply as unknown as ReplyEnvelope), headers: {}, body };
  }

  private async send(): Promise<void> {
    const { header, entries, places } = this;
    this.reply = await this.take({ header, entries, places });
    this.hasEntries ||= entries.length > 0;
    [this.entries, this.places] = [[], []];
    this.characters = 0;
    const counts = JSON.parse(this.reply.body.toString()) as EntryCounts;
    this.sum.created += counts.created;
    this.sum.updated += counts.updated;
    this.sum.unreadableCount += counts.unreadable.length;
    this.sum.warningCount += counts.warnings.length;
    const rest = unreadableMax - this.sum.unreadable.length;
    this.sum.unreadable.push(...counts.unreadable.slice(0, rest));
    const room = unreadableMax - this.sum.warnings.length;
    this.sum.warnings.push(...counts.warnings.slice(0, room));
  }
}

function mediaTypeOf({ headers }: FastifyRequest, taken: readonly string[]): string {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (taken.includes(type) && (headers['content-encoding'] ?? 'identity') === 'identity')
    return type;
  throw invalidField(
    '',
    `Content-Type ${taken.join(' ou ')} sans Content-Encoding attendu`,
    `expected ${taken.join(' or ')} without Content-Encoding`,
  );
}

const nothingFound = (): Problem =>
  invalidField('', 'aucune entrée dans le fichier', 'found no card, row or event in the file');

function asRefusal(error: unknown): unknown {
  const isBroken = error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
  return isBroken ? new Problem('INVALID_REQUEST', { cause: error }) : error;
}
