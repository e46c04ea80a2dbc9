import { withBase64 } from './attachments.js';
import { PostroomError } from './errors.js';
import type { Received } from './retry.js';
import type { OperationFacts, ResponseFacts } from './types.js';

export type Input = Readonly<Record<string, unknown>>;

const facts = new WeakMap<object, ResponseFacts>();

/** Facts of the response that an answer came in: its status, whether it is a replay, its Idempotency-Key. */
export const responseOf = (answer: object): ResponseFacts | undefined => facts.get(answer);

/** The path with its query, the headers and the body of a request. */
export async function requestOf(operation: OperationFacts, input: Input) {
  const named = new Set(['ifMatch']);
  const path = operation.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    named.add(name);
    return encodeURIComponent(input[name] as string);
  });
  const rest = Object.entries(input).filter(
    ([name, value]) => !named.has(name) && value !== undefined,
  );
  const ifMatch = input['ifMatch'];
  const headers = ifMatch === undefined ? {} : { 'If-Match': `${ifMatch as number}` };
  if (operation.method === 'GET' || operation.method === 'DELETE') {
    const texts = rest.map(([name, value]): [string, string] => [name, value as string]);
    const query = new URLSearchParams(texts).toString();
    return { path: query === '' ? path : `${path}?${query}`, headers };
  }
  const body = JSON.stringify(await withBase64(Object.fromEntries(rest)));
  return { path, body, headers: { ...headers, 'Content-Type': 'application/json' } };
}

/** The answer of a response, with its facts beside it. @throws PostroomError when it is no JSON */
export function answerOf(
  { response, text, attempts }: Received,
  idempotencyKey: string | null,
): object {
  const { headers, status } = response;
  const requestId = headers.get('X-Request-Id');
  let answer: object;
  try {
    answer = JSON.parse(text ?? '') as object;
  } catch (cause) {
    const message = 'The answer is no JSON: is baseUrl that of the API, /public included?';
    throw new PostroomError(message, {
      status,
      code: 'NOT_JSON',
      requestId,
      idempotencyKey,
      cause,
    });
  }
  facts.set(answer, {
    ...{ status, requestId, idempotencyKey, attempts },
    isReplay: (headers.get('X-Svc-Idempotency') ?? '').startsWith('hit'),
    ignored: (headers.get('X-Svc-Ignored') ?? '')
      .split(', ')
      .filter(Boolean)
      .map(decodeURIComponent),
  });
  return answer;
}
