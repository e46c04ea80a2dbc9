import { Inject, Injectable } from '@nestjs/common';
import {
  decode,
  fieldsOf,
  invalidField,
  partsApart,
  Problem,
  type Row,
  type Violation,
} from '@postroom/contracts';
import type { FastifyRequest } from 'fastify';
import { ApartBodies, parseBody, readBody, type ParseJson } from '../bodies/index.js';
import { headerOf } from './headers.js';

/** Token of the JSON parser. */
export const parseJsonToken = Symbol('parseJson');

/** A list that is never in pages has given no token: each that comes is a bad one (`decisions.md` §1). */
const noToken = () =>
  invalidField(
    'pageToken',
    'aucun jeton attendu : la liste est entière',
    'expected none: the list is whole',
  );

const isWholeList = ({ fields, output }: Row): boolean =>
  !fields.query.some(({ name }) => name === 'pageToken') &&
  fieldsOf(output).some(({ name }) => name === 'nextPageToken');

const givenTwice = { fr: 'paramètre donné plus d’une fois', en: 'given more than once' };

/** Step 9 of `decisions.md` §2: path, query and body become the row's validated input. */
@Injectable()
export class Inputs {
  constructor(
    @Inject(parseJsonToken) private readonly parseJson: ParseJson,
    private readonly apart: ApartBodies,
  ) {}

  /** @throws Problem INVALID_REQUEST, BODY_TOO_LARGE */
  async of(row: Row, request: FastifyRequest): Promise<object> {
    const query = request.query as Record<string, unknown>;
    const texts = textsOf(row, request, query);
    const repeated = Object.keys(query).filter((name) => Array.isArray(query[name]));
    if (repeated.length > 0) throw invalid(repeated.map(twice));
    if (Object.hasOwn(query, 'pageToken') && isWholeList(row)) throw noToken();
    const hasBody = row.fields.body.length > 0 || row.method === 'POST';
    const body = hasBody && row.streams.length === 0 ? await this.body(row, request) : undefined;
    const { unknownFields } = row;
    const { input, violations } = decode(row.input, { texts, body, unknownFields });
    if (violations) throw invalid(violations);
    const faults = row.rule(input);
    const wrong = faults.filter(({ tooLarge }) => !tooLarge);
    if (wrong.length > 0) throw invalid(wrong);
    if (faults.length > 0) throw new Problem('ATTACHMENTS_TOO_LARGE');
    return input;
  }

  /** What was put apart of a request is taken back: it has been answered. */
  letGo(request: FastifyRequest): void {
    this.apart.letGo(request);
  }

  private async body(row: Row, request: FastifyRequest): Promise<unknown> {
    const parts = partsApart(row.fields.body);
    if (parts.length === 0) return readBody(request, row.bodyMax, this.parseJson);
    const { bytes, place } = await this.apart.read(request, parts, row.bodyMax);
    return place(await parseBody(request, bytes, this.parseJson));
  }
}

/** What comes as text: from the query, the headers and the path. */
function textsOf(
  { fields }: Row,
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

const twice = (field: string): Violation => ({ field: field.slice(0, 100), message: givenTwice });

const invalid = (violations: readonly Violation[]): Problem =>
  new Problem('INVALID_REQUEST', { violations });
