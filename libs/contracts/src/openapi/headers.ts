import { describedField, valueSchema, type Field, type JsonSchema } from '../fields/index.js';
import type { ErrorStyle, Operation } from '../operation.js';

/** Pattern of an `Idempotency-Key`: 8 to 200 printable ASCII characters (public-api.md §4.2). */
export const idempotencyKeyPattern = '^[\\x20-\\x7e]{8,200}$';

/** Values of `X-Svc-Idempotency` for a request with an Idempotency-Key (public-api.md §3). */
export const idempotencyOutcomes = [
  'miss',
  'hit',
  'hit-mem',
  'key-reused',
  'key-unverifiable',
  'duplicate-suppressed',
] as const;

const seconds = { type: 'integer', minimum: 0 };

/** The headers of answers, as components. */
export const headerComponents = (errors: ErrorStyle): Readonly<Record<string, JsonSchema>> => {
  const { 'WWW-Authenticate': ofKeys, ...ofAll } = components;
  return errors === 'settings' ? ofAll : { ...ofAll, 'WWW-Authenticate': ofKeys };
};

const components = {
  'X-Request-Id': {
    description: 'Names the request; one that the client sent is echoed.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
  'X-RateLimit-Limit': {
    description: 'Requests a minute that the caller has in this family of routes.',
    schema: { type: 'integer', minimum: 1 },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left now.',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Reset': {
    description: 'Seconds until the window has room again.',
    schema: seconds,
  },
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: seconds },
  'WWW-Authenticate': {
    description: 'How a key is given.',
    schema: { type: 'string', const: 'Bearer' },
  },
  'X-Svc-Ignored': {
    description:
      'Names of body fields and query parameters that were ignored, percent-encoded, separated by commas; absent ' +
      'where nothing was.',
    schema: { type: 'string', maxLength: 16_000 },
  },
  'X-Svc-Idempotency': {
    description: 'What became of the Idempotency-Key.',
    schema: { type: 'string', enum: idempotencyOutcomes },
  },
} satisfies Readonly<Record<string, JsonSchema>>;

const rateLimit = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** Until the caller is recognised there is nothing to count. */
function ofCaller(status: number, errors: ErrorStyle, operation?: Operation): readonly string[] {
  if (status !== 401) return operation?.audience === 'anyone' ? [] : rateLimit;
  return errors === 'settings' ? [] : ['WWW-Authenticate'];
}

/** References to the headers of an answer with this status, of `row` if it is one operation's own. */
export function headersOf(
  status: number,
  errors: ErrorStyle,
  operation?: Operation,
): Readonly<Record<string, JsonSchema>> {
  const repeatable = operation !== undefined && operation.idempotency !== 'none';
  const names = [
    'X-Request-Id',
    ...ofCaller(status, errors, operation),
    ...(operation ? ['X-Svc-Ignored'] : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
    ...(repeatable && (status < 300 || status === 409) ? ['X-Svc-Idempotency'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The header parameters that an operation reads. */
export function headerParameters(operation: Operation): readonly JsonSchema[] {
  return [...operation.fields.header.map(headerParameter), ...idempotencyParameter(operation)];
}

const headerParameter = (field: Field): JsonSchema => ({
  name: field.header,
  in: 'header',
  required: !field.optional,
  description: describedField(field),
  schema: valueSchema(field),
});

function idempotencyParameter(operation: Operation): readonly JsonSchema[] {
  if (operation.idempotency === 'none') return [];
  const required = mustHaveKey(operation);
  const exception = ' Required of agent keys whose writes wait for approval.';
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required,
      description: `Makes a repeat harmless: it gets the first answer again.${required ? '' : exception}`,
      schema: { type: 'string', minLength: 8, maxLength: 200, pattern: idempotencyKeyPattern },
    },
  ];
}

/** True if every caller has to give an Idempotency-Key. */
export const mustHaveKey = ({ idempotency }: Operation): boolean =>
  idempotency === 'required' || idempotency === 'send';
