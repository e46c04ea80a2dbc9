import { PostroomError } from './errors.js';
import { type FeedEvent, type Operations, operations, type PostroomEvent } from './generated.js';
import { type Attempts, type Received, sleep, untilAnswered } from './retry.js';
import { answerOf, type Input, requestOf } from './request.js';
import type { CallOptions, Done, OperationFacts } from './types.js';

export interface ClientOptions<A extends boolean = boolean> {
  /** The URL of the API, `/public` included: `https://postroom.example.com/public`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** True for the key of an agent: a write then gives `Done` or `Waiting`. */
  readonly agent?: A;
  /** Language of the messages of errors: English when not said. */
  readonly language?: 'en' | 'fr';
  /** Named in the server's logs, and in approvals. */
  readonly userAgent?: string;
  /** For tests, and for programs with a fetch of their own. */
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
  readonly sleep?: Attempts['sleep'];
}

interface Following {
  /** The id of the last event seen, or `latest`; from the oldest that is kept when absent. */
  readonly after?: string;
  /** Event types, separated by commas. */
  readonly types?: string;
}

/** The public API: `client.{family}.{operation}(input)`. */
export interface Client<A extends boolean = false> extends Omit<Operations<A>, 'events'> {
  readonly events: Operations<A>['events'] & {
    /**
     * The events as they come, without an end. Keep the id of the last one that was dealt with, and go on from there
     * (`after`).
     */
    readonly follow: (
      from?: Following,
      options?: CallOptions,
    ) => AsyncIterableIterator<PostroomEvent>;
  };
}

/** A client of the public API with one key. */
export function createClient<A extends boolean = false>(options: ClientOptions<A>): Client<A> {
  const call = callerOf(options);
  const families = Object.entries(operations).map(([family, members]) => [
    family,
    Object.fromEntries(
      Object.entries<OperationFacts>(members).flatMap(([name, operation]): [string, unknown][] => {
        const method = (input: Input = {}, of: CallOptions = {}) => call(operation, input, of);
        const pages = operation.pages;
        if (!pages) return [[name, method]];
        return [
          [name, method],
          [pages[0], iteratorOf(method, pages[1])],
        ];
      }),
    ),
  ]);
  const client = Object.fromEntries(families) as Record<string, Record<string, unknown>>;
  const events = client['events'] as { list: FeedReader; follow?: unknown };
  events.follow = followerOf(events.list);
  return client as unknown as Client<A>;
}

type Method = (input?: Input, of?: CallOptions) => Promise<unknown>;
type FeedReader = (
  input: object,
  of?: CallOptions,
) => Promise<{ events: readonly FeedEvent[]; nextAfter: string | null }>;

const iteratorOf = (method: Method, items: string) =>
  async function* iterate(input: Input = {}, of: CallOptions = {}): AsyncGenerator<unknown> {
    for (let pageToken: unknown = input['pageToken']; pageToken !== null;) {
      const page = (await method(
        { ...input, ...(pageToken !== undefined && { pageToken }) },
        of,
      )) as Input;
      yield* page[items] as readonly unknown[];
      pageToken = page['nextPageToken'] ?? null;
    }
  };

/** Seconds that the server waits for an event. */
const feedWait = 25;

const followerOf = (list: FeedReader) =>
  async function* follow(from: Following = {}, of: CallOptions = {}): AsyncGenerator<FeedEvent> {
    for (let { after } = from; ;) {
      const page = await list(
        { ...from, ...(after !== undefined && { after }), wait: feedWait },
        of,
      );
      yield* page.events;
      after = page.nextAfter ?? after;
    }
  };

const timeoutMs = 100_000;
const keyOfTheWrite = (): string => crypto.randomUUID();

/** Calls operations: one request each, repeated by the rules of {@link untilAnswered}. */
function callerOf(options: ClientOptions) {
  const { agent = false, now = Date.now, fetch: send = fetch } = options;
  const baseUrl = options.baseUrl.replace(/\/$/, '');
  const call = async (
    operation: OperationFacts,
    input: Input,
    of: CallOptions,
  ): Promise<unknown> => {
    const { effect, method, isFile = false } = operation;
    const idempotencyKey = effect ? (of.idempotencyKey ?? keyOfTheWrite()) : null;
    const { path, headers, body } = await requestOf(operation, input);
    const init = {
      method,
      headers: { ...headersOf(options, idempotencyKey), ...headers },
      ...(body !== undefined && { body }),
    };
    let attempts = 0;
    const received = await untilAnswered(
      async (signal): Promise<Received> => {
        attempts += 1;
        const response = await send(baseUrl + path, { ...init, signal });
        return { response, text: isFile && response.ok ? null : await response.text(), attempts };
      },
      {
        ...{ now, sleep: options.sleep ?? sleep, signal: of.signal, idempotencyKey, baseUrl },
        deadline: now() + (of.timeoutMs ?? timeoutMs),
      },
    );
    if (received.text === null) return received.response;
    const answer = answerOf(received, idempotencyKey);
    if (effect !== 'write' || idempotencyKey === null) return answer;
    const repeat = () => call(operation, input, { ...of, idempotencyKey });
    return written(answer, received.response, { agent, repeat });
  };
  return call;
}

const headersOf = ({ apiKey, language, userAgent }: ClientOptions, key: string | null) => ({
  'X-Api-Key': apiKey,
  'Accept-Language': language ?? 'en',
  ...(userAgent !== undefined && { 'User-Agent': userAgent }),
  ...(key !== null && { 'Idempotency-Key': key }),
});

interface Writing {
  readonly agent: boolean;
  readonly repeat: () => Promise<unknown>;
}

function written(answer: object, { status }: Response, { agent, repeat }: Writing): unknown {
  const isFiled = status === 202 && 'approval' in answer;
  if (agent && isFiled) return { approvalRequired: true, approval: answer.approval, repeat };
  if (agent) return { approvalRequired: false, answer } satisfies Done<unknown>;
  if (!isFiled) return answer;
  throw new PostroomError(
    'The write waits for a person: make the client of an agent’s key with { agent: true }.',
    { status, code: 'APPROVAL_REQUIRED', body: answer },
  );
}
