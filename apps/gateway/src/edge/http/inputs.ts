import { Injectable } from '@nestjs/common';
import {
  fieldsOf,
  invalidField,
  Problem,
  streamedParts,
  table,
  type Operation,
  type StreamedPart,
  type Violation,
} from '@postroom/contracts';
import { clientNetwork, Pieces, StartPacer } from '@postroom/limits';
import type { FastifyRequest } from 'fastify';
import { decodedInput, invalidInput } from '../../access/index.js';
import { parseBody, readBody, textOfBody } from '../bodies/read-body.js';
import { StreamedBodies } from '../bodies/streamed-bodies.js';
import { headerOf } from './request-state.js';

/** The parts of a body that are uploaded while it is read, by operation; most operations have none. */
const streamedPartsOf: ReadonlyMap<string, readonly StreamedPart[]> = new Map(
  table
    .map(({ id, fields }) => [id, streamedParts(fields.body)] as const)
    .filter(([, parts]) => parts.length > 0),
);

/** A list without pages never issues a page token, so any token is a bad one (`decisions.md` §1). */
const unexpectedToken = () =>
  invalidField(
    'pageToken',
    'aucun jeton attendu : la liste est entière',
    'expected none: the list is whole',
  );

const isWholeList = ({ fields, output }: Operation): boolean =>
  !fields.query.some(({ name }) => name === 'pageToken') &&
  fieldsOf(output).some(({ name }) => name === 'nextPageToken');

/**
 * Step 9 of `decisions.md` §2: path, query and body become the operation's validated input. From here to its
 * service a request takes its time of the one thread, so requests start round robin by workspace.
 */
@Injectable()
export class Inputs {
  private readonly starts = new StartPacer();

  constructor(
    private readonly streamedBodies: StreamedBodies,
    private readonly pieces: Pieces,
  ) {}

  /**
   * The names that it ignores are noted with the request.
   * @throws Problem INVALID_REQUEST, BODY_TOO_LARGE, ENCODING_UNSUPPORTED
   */
  async of(operation: Operation, request: FastifyRequest): Promise<object> {
    requireIdentity(request);
    const query = request.query as Record<string, unknown>;
    const texts = textsOf(operation, request, query);
    const repeated = Object.keys(query).filter((name) => Array.isArray(query[name]));
    if (repeated.length > 0) throw invalidInput(repeated.map(givenTwice));
    if (Object.hasOwn(query, 'pageToken') && isWholeList(operation)) throw unexpectedToken();
    const strangers = unknownParameters(operation, query);
    const isOfSettings = operation.audience !== 'key';
    if (isOfSettings && strangers.length > 0) throw invalidInput(strangers.map(unknownParameter));
    const hasBody = operation.fields.body.length > 0 || operation.method === 'POST';
    const { bytes, parse } =
      hasBody && operation.upload === null ? await this.body(operation, request) : noBody;
    const decode = () => decodedInput(operation, { texts, body: parse() });
    const { input, ignored } = await this.inTurn(whoseTurn(request), bytes, decode);
    if (!isOfSettings) request.state.ignored = [...strangers, ...ignored];
    return input;
  }

  /** Deletes what was uploaded to the blob store for a request that has been answered. */
  discardUploads(operation: Operation, request: FastifyRequest): void {
    if (streamedPartsOf.has(operation.id)) this.streamedBodies.discardUploads(request);
  }

  /** Short inputs begin a few in a turn; of long ones no more come in a second than pieces of larger bodies do. */
  private async inTurn<T>(workspace: string, bytes: number, decode: () => T): Promise<T> {
    if (bytes > longMin) {
      const { value } = await this.pieces.timed(workspace, { order: 0, bytes }, decode);
      return value;
    }
    await this.starts.turn(workspace);
    return decode();
  }

  private async body(operation: Operation, request: FastifyRequest): Promise<ReadBody> {
    const parts = streamedPartsOf.get(operation.id);
    if (parts) {
      const parse = await this.streamedBodies.read(request, parts, operation.bodyMax);
      // Its pieces have had their turns.
      return { bytes: 0, parse };
    }
    const body = await readBody(request, operation.bodyMax);
    const parse =
      operation.request === 'json'
        ? () => parseBody(request, body)
        : () => ({ body: textOfBody(body) });
    return { bytes: body.length, parse };
  }
}

/** A body that has been read, and what parses it. */
interface ReadBody {
  readonly bytes: number;
  readonly parse: () => unknown;
}

const noBody: ReadBody = { bytes: 0, parse: () => undefined };
/** From its body to its service a longer one takes milliseconds of the thread. */
const longMin = 32 * 1024;

/** An anonymous request takes the slot of its network. */
const whoseTurn = ({ state, ip }: FastifyRequest): string =>
  state.authorization?.caller.tenantId ?? clientNetwork(ip);

/** The inputs that are given as text: query, headers and path. */
function textsOf(
  { fields }: Operation,
  request: FastifyRequest,
  query: Record<string, unknown>,
): Record<string, unknown> {
  const texts: Record<string, unknown> = {};
  for (const { name } of fields.query) {
    if (Object.hasOwn(query, name)) texts[name] = query[name];
  }
  for (const { name, header } of fields.header) {
    if (header) texts[name] = headerOf(request, header.toLowerCase());
  }
  return Object.assign(texts, request.params);
}

/** Query parameters that an operation does not have; that of a page is told of by itself. */
const unknownParameters = ({ fields }: Operation, query: Record<string, unknown>): string[] =>
  Object.keys(query).filter((name) => !fields.query.some((field) => field.name === name));

const unknownParameter = (field: string): Violation => ({
  field: field.slice(0, 100),
  fault: 'UNKNOWN_FIELD',
  message: { fr: 'paramètre inconnu', en: 'there is no such parameter' },
});

/** Bodies are read as they are (`decisions.md` §1). @throws Problem ENCODING_UNSUPPORTED */
function requireIdentity({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== '') throw new Problem('ENCODING_UNSUPPORTED');
}

const givenTwice = (field: string): Violation => ({
  field: field.slice(0, 100),
  message: { fr: 'paramètre donné plus d’une fois', en: 'given more than once' },
});
