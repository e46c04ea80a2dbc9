import {
  type ClientCall,
  clientCall,
  commandLine,
  type Example,
  mountPoints,
  mustHaveKey,
  type Operation,
  ownText,
} from '@postroom/contracts';
import type { Sample } from './page.js';

/** The demo's address, for which the page's script puts its own. */
export const demoOrigin = 'http://127.0.0.1:3000';

/** A call as HTTP has it. */
interface Request {
  readonly method: string;
  readonly url: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: object | null;
  /** The media type of a file that is the body. */
  readonly file: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly isOfMember: boolean;
  /** It begins a session. */
  readonly isSignIn: boolean;
}

/** The same call in each language; without the command line for MCP, which has clients of its own. */
export function samplesOf(operation: Operation, example: Example): readonly Sample[] {
  const request = requestOf(operation, example);
  const call = clientCall(operation);
  const command = commandLine(operation, example);
  const typeScript = call ? withClient(call, example, request) : fetched(request);
  return [
    { label: 'curl', language: 'sh', code: curl(request) },
    { label: 'TypeScript', language: 'ts', code: typeScript },
    ...(command === undefined
      ? []
      : [{ label: 'Command line', language: 'sh', code: broken(command) }]),
    { label: 'Python', language: 'python', code: python(request) },
  ];
}

function requestOf(operation: Operation, { input }: Example): Request {
  const { method, path, audience, fields, upload } = operation;
  const some = (of: readonly { readonly name: string }[]) =>
    Object.fromEntries(
      of.filter(({ name }) => name in input).map(({ name }) => [name, input[name]]),
    );
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(input[name])),
  );
  const body = some(fields.body);
  const key = mustHaveKey(operation) ? `my-first-${dashed(operation.name)}` : null;
  return {
    method,
    url: demoOrigin + mountPoints[audience] + filled,
    query: some(fields.query),
    body:
      fields.body.length > 0
        ? ownText(operation.request)
          ? (input['body'] as object)
          : body
        : null,
    file: upload?.mediaTypes[0] ?? null,
    headers: key === null ? {} : { 'Idempotency-Key': key },
    isOfMember: audience !== 'key',
    isSignIn: audience === 'anyone',
  };
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function curl(request: Request): string {
  const { method, url, query, headers, isOfMember, isSignIn } = request;
  const verb = method === 'GET' ? '' : ` -X ${method}`;
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${textOf(value)}`);
  const sent = contentOf(request);
  // With content, what follows -d would be part of it.
  const isInAddress = pairs.length === 0 || sent.length > 0;
  const address = pairs.length > 0 && isInAddress ? `${url}?${pairs.join('&')}` : url;
  return [
    `curl${isInAddress ? '' : ' -G'}${verb} ${quoted(address)}`,
    isSignIn ? '-c cookies' : isOfMember ? '-b cookies' : '-H "X-Api-Key: $POSTROOM_API_KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(isInAddress ? [] : pairs.map((pair) => `--data-urlencode ${quoted(pair)}`)),
    ...sent,
  ].join(' \\\n  ');
}

function contentOf({ body, file }: Request): readonly string[] {
  if (file !== null) return [`-H ${quoted(`Content-Type: ${file}`)}`, '--data-binary @file'];
  if (body === null) return [];
  return ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body, null, 2))}`];
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** A value as a program has it: names without quotes where they need none, and texts in single ones. */
const literal = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replaceAll(/^( *)"(\w+)":/gm, '$1$2:')
    .replaceAll(/"((?:[^"\\']|\\.)*)"(?=,?$)/gm, "'$1'");

function withClient({ family, name }: ClientCall, { input }: Example, request: Request): string {
  const key = request.headers['Idempotency-Key'];
  const options = key === undefined ? '' : `, { idempotencyKey: '${key}' }`;
  const given = Object.keys(input).length === 0 && options === '' ? '' : literal(input);
  return `import { createClient } from '@postroom/sdk';

const postroom = createClient({
  baseUrl: '${demoOrigin}/public',
  apiKey: process.env.POSTROOM_API_KEY ?? '',
});
const answer = await postroom.${family}.${name}(${given}${options});`;
}

/** A call without the client: a session is a cookie, and MCP has clients of its own. */
function fetched({ method, url, query, body, file, isOfMember }: Request): string {
  const search =
    Object.keys(query).length === 0 ? '' : `?${String(new URLSearchParams(texts(query)))}`;
  const type = body === null ? file : 'application/json';
  return [
    `const answer = await fetch('${url}${search}', {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    `  headers: { ${isOfMember ? 'cookie' : "'x-api-key': process.env.POSTROOM_API_KEY"}${type === null ? '' : `, 'content-type': '${type}'`} },`,
    ...(file === null ? [] : ['  body: file,']),
    ...(body === null ? [] : [`  body: JSON.stringify(${indented(literal(body))}),`]),
    '});',
  ].join('\n');
}

const texts = (query: Request['query']): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, textOf(value)]));

const indented = (text: string): string => text.replaceAll('\n', '\n  ');

const dashed = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A command over several lines: each option begins one. What is quoted stays as it is. */
const broken = (command: string): string =>
  command.replaceAll(/'[^']*'| (?=--[a-z])/g, (one) => (one === ' ' ? ' \\\n  ' : one));

function python({ method, url, query, body, file, headers, isOfMember }: Request): string {
  const key = '"X-Api-Key": os.environ["POSTROOM_API_KEY"]';
  const given = Object.entries(headers).map((one) => one.map((text) => `"${text}"`).join(': '));
  const all = [...(isOfMember ? [] : [key]), ...given];
  const lines = [
    ...(all.length > 0 ? [`headers={${all.join(', ')}},`] : []),
    ...(Object.keys(query).length > 0 ? [`params=${indented(pythonic(query))},`] : []),
    ...(file === null ? [] : ['data=open("file", "rb"),']),
    ...(body === null ? [] : [`json=${indented(pythonic(body))},`]),
  ];
  const caller = isOfMember ? 'session' : 'requests';
  const call = `${caller}.${method.toLowerCase()}(\n  ${[`"${url}",`, ...lines].join('\n  ')}\n)`;
  const head = isOfMember
    ? 'import requests\n\nsession = requests.Session()  # that has signed in'
    : 'import os\nimport requests\n';
  return `${head}\nanswer = ${call}`;
}

const pythonic = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(
    /(?<=: |^ +)(true|false|null)(?=,?$)/gm,
    (word) => ({ true: 'True', false: 'False', null: 'None' })[word] ?? word,
  );
