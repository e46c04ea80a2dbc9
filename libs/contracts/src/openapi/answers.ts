import { headersOf, mustHaveKey } from './headers.js';
import { ownText, type ErrorStyle, type Operation } from '../operation.js';
import { type ProblemCode, problemFacts } from '../problems.js';
import { ErrorBody, FileAnswer, SettingsErrorBody } from '../answers.js';
import { ApprovalFiled } from '../approvals.js';
import { codesOf } from '../coded-refusal.js';
import { fieldsOf, type Field, type JsonSchema } from '../fields/index.js';
import { SendErrorBody, SettingsSendErrorBody } from '../sends.js';
import type { Components } from './components.js';
import { answerExample } from './examples.js';

interface Rule {
  readonly applies: (operation: Operation) => boolean;
  readonly codes: readonly ProblemCode[];
}

const isForKeys = ({ errors }: Operation): boolean => errors !== 'settings';

/** Refusals of the gateway before an operation (`decisions.md` §2), and the operations they apply to. */
const rules: readonly Rule[] = [
  {
    applies: () => true,
    codes: [
      'INVALID_REQUEST',
      'RATE_LIMITED',
      'INTERNAL',
      'AUTHORIZATIONS_UNAVAILABLE',
      'SERVICE_UNAVAILABLE',
    ],
  },
  { applies: ({ audience }) => audience !== 'anyone', codes: ['UNAUTHENTICATED'] },
  { applies: isForKeys, codes: ['SCOPE_MISSING'] },
  { applies: (operation) => !isForKeys(operation) && operation.admin, codes: ['ADMIN_REQUIRED'] },
  {
    applies: (operation) => !isForKeys(operation) && operation.method !== 'GET',
    codes: ['FOREIGN_ORIGIN'],
  },
  {
    applies: (operation) => isForKeys(operation) && operation.effect === 'send',
    codes: ['AGENT_CANNOT_SEND', 'SEND_SWITCH_CLOSED'],
  },
  { applies: (operation) => operation.member, codes: ['MEMBER_IDENTITY_INCOMPLETE'] },
  {
    applies: (operation) => mustHaveKey(operation) || operation.approval === 'eligible',
    codes: ['IDEMPOTENCY_KEY_REQUIRED'],
  },
  {
    applies: (operation) => operation.idempotency !== 'none',
    codes: ['IDEMPOTENCY_KEY_MALFORMED', 'IDEMPOTENCY_KEY_REUSED', 'DUPLICATE_IN_PROGRESS'],
  },
  {
    applies: (operation) => operation.fields.body.length > 0,
    codes: ['BODY_TOO_LARGE', 'ENCODING_UNSUPPORTED'],
  },
  // A protocol of its own has an address for one method, and clients that try others.
  { applies: (operation) => ownText(operation.request) !== null, codes: ['METHOD_NOT_ALLOWED'] },
  { applies: (operation) => operation.mailbox !== 'none', codes: ['MAILBOX_FORBIDDEN'] },
  { applies: (operation) => operation.mailbox === 'write', codes: ['MAILBOX_READ_ONLY'] },
  {
    applies: (operation) => operation.approval === 'eligible',
    codes: ['APPROVALS_UNAVAILABLE', 'TOO_MANY_APPROVALS', 'APPROVAL_CLOSED'],
  },
];

/** Refusals of a caller before the operation itself, which has `operation.problems`. */
export const refusalsBefore = (operation: Operation): readonly ProblemCode[] =>
  rules.filter((rule) => rule.applies(operation)).flatMap((rule) => rule.codes);

type Responses = Readonly<Record<string, JsonSchema>>;

const json = (schema: JsonSchema) => ({ 'application/json': { schema } });
/** The media type object of a file. */
export const binary = { schema: { type: 'string', format: 'binary' } };
const statusOf = (code: ProblemCode): number => problemFacts(code).status;

/** Refusals that say the same whatever the operation: written once, as response components. */
const common: Readonly<Record<number, { readonly name: string; readonly description: string }>> = {
  401: {
    name: 'Unauthenticated',
    description:
      'The API key is missing, malformed, unknown, revoked or expired: one answer for all of them.',
  },
  429: { name: 'RateLimited', description: 'Too many requests for this key.' },
  500: { name: 'InternalError', description: 'An internal error.' },
  503: {
    name: 'Unavailable',
    description: 'Unavailable for a moment; the request may be repeated.',
  },
};

const commonOfSettings: typeof common = {
  401: { name: 'Unauthenticated', description: 'There is no session, or it has ended.' },
  429: { name: 'RateLimited', description: 'Too many requests of this member.' },
};

/** The response components that {@link responsesOf} refers to. */
export const commonResponses = ({ refer }: Components, errors: ErrorStyle): Responses =>
  Object.fromEntries(
    Object.entries({ ...common, ...(errors === 'settings' && commonOfSettings) }).map(
      ([status, { name, description }]) => [
        name,
        {
          description,
          headers: headersOf(Number(status), errors),
          content: json(refer(errors === 'settings' ? SettingsErrorBody : ErrorBody)),
        },
      ],
    ),
  );

/** Every answer of an operation by status: success, filing for approval, and each refusal. */
export function responsesOf(operation: Operation, components: Components): Responses {
  const codes = [...refusalsBefore(operation), ...operation.problems, ...codesOf(operation)];
  const refusals = [...new Set(codes.map(statusOf))].map((status) => {
    const causes = codes.filter((code) => statusOf(code) === status);
    return [status, refusal(operation, status, causes, components)] as const;
  });
  return { ...successes(operation, components), ...Object.fromEntries(refusals) };
}

function successes(operation: Operation, { refer }: Components): Responses {
  const done = {
    description: 'Success.',
    headers: headersOf(operation.success, operation.errors, operation),
    content: withExample(operation, operation.success, contentOf(operation, refer)),
  };
  const filed = () => ({
    description:
      'Filed for approval, nothing is written yet: this agent key’s writes wait for a person.',
    headers: headersOf(202, operation.errors, operation),
    content: withExample(operation, 202, json(refer(ApprovalFiled))),
  });
  return {
    [operation.success]: done,
    ...(operation.existing && { 200: { ...done, description: 'It was there already.' } }),
    ...(operation.approval === 'eligible' && { 202: filed() }),
    ...(ownText(operation.answer) && { 202: accepted(operation) }),
  };
}

/** The media types of an answer, each with the example of its status. */
const withExample = (operation: Operation, status: number, content: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(content).map(([mediaType, one]) => [
      mediaType,
      { ...(one as object), ...answerExample(operation, status) },
    ]),
  );

const accepted = (operation: Operation): JsonSchema => ({
  description: 'A notification, which is not answered; the body is empty.',
  headers: headersOf(202, operation.errors, operation),
});

function contentOf({ output, answer }: Operation, refer: Components['refer']): JsonSchema {
  const text = ownText(answer);
  if (text) return json(text);
  const fields = fieldsOf(output);
  if (answer === 'lines')
    return { [fields.some(named('mediaType')) ? 'text/*' : 'application/x-ndjson']: binary };
  // The gateway walks on for as long as there is an `after`.
  if (answer === 'steps')
    return json(refer(output, { only: fields.filter((one) => !named('after')(one)) }));
  if (output !== FileAnswer) return json(refer(output));
  const isOne = typeof answer === 'object' && 'file' in answer;
  return { [isOne ? answer.file : 'application/octet-stream']: binary };
}

const named =
  (wanted: string) =>
  ({ name }: Field): boolean =>
    name === wanted;

function refusal(
  operation: Operation,
  status: number,
  causes: readonly ProblemCode[],
  components: Components,
): JsonSchema {
  const coded = codesOf(operation);
  const own = causes.filter((code) => operation.problems.includes(code) || coded.includes(code));
  const shared = common[status];
  if (shared && own.length === 0) return { $ref: `#/components/responses/${shared.name}` };
  return {
    description: causes.map((code) => problemFacts(code).en).join(' '),
    headers: headersOf(status, operation.errors, operation),
    content: withExample(
      operation,
      status,
      json(errorBody(operation, own.length, causes.length - own.length, components)),
    ),
  };
}

/**
 * A family of codes answers its own refusals by code and what comes before them by text (`decisions.md`
 * §2); a status may have causes of both kinds.
 */
function errorBody(
  operation: Operation,
  own: number,
  others: number,
  components: Components,
): JsonSchema {
  const sends = operation.effect === 'send';
  if (operation.errors === 'settings')
    return components.refer(sends ? SettingsSendErrorBody : SettingsErrorBody);
  const text = components.refer(sends ? SendErrorBody : ErrorBody);
  if (operation.errors !== 'codes' || own === 0) return text;
  const code = components.named('CodedErrorBody');
  return others === 0 ? code : { anyOf: [code, text] };
}
