import {
  clientCall,
  codesOf,
  descriptionOf,
  type Example,
  exampleOf,
  FileAnswer,
  fieldsOf,
  isMounted,
  mountPoints,
  mustHaveKey,
  operationId,
  ownText,
  type MountedOperation,
  type Operation,
  type ProblemCode,
  problemFacts,
  refusalsBefore,
  table,
  tagOf,
} from '@postroom/contracts';
import { samplesOf } from '../code-samples.js';
import { rowsOf, schemaRows } from '../fields.js';
import { type Block, type Page, type Sample, tableOf, titleOf } from '../page.js';

/** The operations that have a page: each that has a route, once. */
export const operations: readonly MountedOperation[] = table.filter(isMounted);

const byFamily = Map.groupBy(operations, ({ family }) => family);

export const familyPath = (family: string): string => `/docs/reference/${family}`;
export const operationPath = ({ family, name }: Operation): string =>
  `${familyPath(family)}/${name}`;

/** The pages of all families and their operations. */
export const reference = (): readonly Page[] =>
  [...byFamily].flatMap(([family, members]) => [
    familyPage(family, members),
    ...members.map(operationPage),
  ]);

const sectionOf = ({ audience }: Operation): 'public' | 'settings' =>
  audience === 'key' ? 'public' : 'settings';

const routeOf = ({ audience, path }: Operation): string =>
  mountPoints[audience] + path.replaceAll(/:(\w+)/g, '{$1}');

function familyPage(family: string, members: readonly MountedOperation[]): Page {
  const [first] = members;
  const { description } = tagOf(family);
  const rows = members.map((one) => [
    `[${one.summary}](${operationPath(one)})`,
    `\`${one.method} ${routeOf(one)}\``,
    one.audience === 'key' ? scopeOf(one) : whoOf(one),
  ]);
  return {
    path: familyPath(family),
    title: titleOf(family),
    summary: description,
    section: first ? sectionOf(first) : 'public',
    family,
    blocks: [description, tableOf(['Operation', 'Route', 'Needs'], rows)],
  };
}

const scopeOf = ({ scope }: Operation): string =>
  scope === null || scope === 'any' ? 'any key' : `\`${scope}\``;

function whoOf({ audience, admin }: Operation): string {
  if (audience === 'anyone') return 'nothing: it is how a session begins';
  return admin ? 'a session of an administrator' : 'a session of a member';
}

/** Everything that the table says of an operation. */
export function operationPage(operation: MountedOperation): Page {
  const example = exampleOf(operation) ?? missing(operation);
  return {
    path: operationPath(operation),
    title: operation.summary,
    summary: `${operation.summary}: ${operation.method} ${routeOf(operation)}`,
    section: sectionOf(operation),
    family: operation.family,
    endpoint: { method: operation.method, path: routeOf(operation) },
    facts: factsOf(operation),
    blocks: [descriptionOf(operation), ...requestBlocks(operation), ...answerBlocks(operation)],
    requests: samplesOf(operation, example),
    answers: answersOf(operation, example),
  };
}

/** @throws Error with what to do */
function missing({ id, family }: Operation): never {
  throw new Error(`${id} has no example: add it to libs/contracts/examples/${family}.json.`);
}

const effects = {
  read: 'reads',
  write: 'writes',
  destroy: 'removes',
  send: 'sends mail',
  intake: 'writes',
} as const;

type Fact = readonly [string, string];

/** The first group of facts that is not empty of each: who may call it, what it does, how much of it. */
const factsOf = (operation: MountedOperation): readonly Fact[] =>
  [...callerFacts(operation), ...writeFacts(operation), ...loadFacts(operation)].filter(
    ([, value]) => value !== '',
  );

function callerFacts(operation: MountedOperation): readonly Fact[] {
  const { audience, mailbox, member, stepUp, keysOnly, path } = operation;
  const call = clientCall(operation);
  const ofKey = audience === 'key';
  return [
    ofKey ? ['Scope', scopeOf(operation)] : ['Needs', whoOf(operation)],
    ['Mailbox', mailbox === 'none' ? '' : `${mailbox} access to \`mailbox\``],
    ['Member', ofKey && member ? 'a key that is attached to a member' : ''],
    [
      'Proof',
      stepUp ? 'given in the last 15 minutes: [secondFactor](/docs/reference/secondFactor)' : '',
    ],
    ['Client', call ? `[\`${call.family}.${call.name}\`](/docs/guides/sdk)` : ''],
    ['operationId', `\`${operationId(operation)}\``],
    [
      'By members at',
      ofKey && !keysOnly ? `\`${mountPoints.member}${path.replaceAll(/:(\w+)/g, '{$1}')}\`` : '',
    ],
  ];
}

function writeFacts(operation: MountedOperation): readonly Fact[] {
  const { effect, emits, upload } = operation;
  const events = emits.map((type) => `[${type}](/docs/events/${type})`);
  return [
    ['Effect', upload ? 'takes in a file' : effects[effect]],
    ['Agents', approvalOf(operation)],
    ['Idempotency-Key', idempotencyOf(operation)],
    ['Events', events.join(', ')],
  ];
}

function approvalOf({ approval, audience, effect }: Operation): string {
  if (audience !== 'key' || effect === 'read') return '';
  if (approval === 'eligible') return '[wait for approval](/docs/guides/agents-and-approvals)';
  return approval === 'hidden'
    ? 'that need approval are answered 404'
    : effect === 'send'
      ? 'are refused'
      : '';
}

function idempotencyOf(operation: Operation): string {
  if (operation.idempotency === 'none') return '';
  const kept = operation.idempotency === 'send' ? '7 days' : '24 hours';
  return `[${mustHaveKey(operation) ? 'required' : 'optional'}](/docs/guides/retry-safely), kept for ${kept}`;
}

function loadFacts({
  errors,
  effect,
  fields,
  upload,
  bodyMax,
  deadlineMs,
}: Operation): readonly Fact[] {
  const rate = effect === 'send' ? '10 a minute a key' : '120 a minute a key';
  const size = upload
    ? 'any length, read as it comes'
    : `at most ${bodyMax.toLocaleString('en')} bytes`;
  return [
    ['Rate', `[${errors === 'settings' ? '600 a minute a member' : rate}](/docs/limits)`],
    ['Body', fields.body.length > 0 || upload ? size : ''],
    ['Deadline', `${deadlineMs / 1000} s`],
  ];
}

function requestBlocks({ fields, upload, request }: Operation): readonly Block[] {
  const text = ownText(request);
  const groups = {
    Path: fields.path,
    Query: fields.query,
    Headers: fields.header,
    Body: fields.body,
  };
  const shown = Object.entries(groups).filter(([, some]) => some.length > 0);
  const files = upload?.mediaTypes.map((one) => `\`${one}\``).join(', ');
  return [
    ...shown.map(([heading, some]) => ({
      heading,
      fields: text && heading === 'Body' ? schemaRows(text) : rowsOf(some),
    })),
    ...(files === undefined ? [] : [`## Body\n\nThe file as it is: ${files}.`]),
  ];
}

function answerBlocks(operation: Operation): readonly Block[] {
  const { output, answer, success, problems } = operation;
  const text = ownText(answer);
  const isFile = output === FileAnswer && !text;
  const fields = fieldsOf(output).filter(({ name }) => answer !== 'steps' || name !== 'after');
  const mediaType = typeof answer === 'object' && 'file' in answer ? `: \`${answer.file}\`` : '';
  const form = isFile ? `The bytes of the file${mediaType}.` : 'Lines, as long as there are any.';
  const own = [...new Set([...problems, ...codesOf(operation)])];
  const others = refusalsBefore(operation).filter((code) => !own.includes(code));
  return [
    isFile || answer === 'lines'
      ? `## Answer ${success}\n\n${form}`
      : { heading: `Answer ${success}`, fields: text ? schemaRows(text) : rowsOf(fields) },
    `## Problems\n\n${problemList(own) || 'None of its own.\n'}\nAs of every such request: ${others.join(', ')}. [What they mean](/docs/errors).`,
  ];
}

/** The row of a problem in the table of /docs/errors has no anchor of its own: the status has. */
export const problemLink = (code: ProblemCode): string =>
  `[\`${code}\`](/docs/errors#${problemFacts(code).status})`;

const problemList = (codes: readonly ProblemCode[]): string =>
  codes
    .map(
      (code) => `- ${problemFacts(code).status} ${problemLink(code)}: ${problemFacts(code).en}\n`,
    )
    .join('');

const json = (label: string, value: unknown): Sample => ({
  label,
  language: 'json',
  code: JSON.stringify(value, null, 2),
});

function answersOf(operation: MountedOperation, example: Example): readonly Sample[] {
  const { answer, filed, problem } = example;
  return [
    ...(typeof answer === 'string' ? [] : [json(String(operation.success), answer)]),
    ...(filed ? [json('202 to an agent', filed)] : []),
    ...(problem ? [json(String(problem.status), problem.answer)] : []),
  ];
}
