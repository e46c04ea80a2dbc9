import { ApiProblem, ConnectionLost, type FieldFault } from './problem.js';
import { enrolled, pageIsLeft, proved, sessionState, signedInAgain } from './session.js';

const mount = '/settings/api';

export interface RequestOptions {
  readonly query?: Readonly<Record<string, QueryValue | readonly string[]>>;
  /** An object is sent as JSON, a file as it is. */
  readonly body?: object;
  /** The key of a write, made when its form opened, so that a double click and a lost answer are one write. */
  readonly idempotencyKey?: string;
  /** The version that a change is made from. */
  readonly ifMatch?: string | number;
  readonly signal?: AbortSignal;
}

type QueryValue = string | number | boolean | null | undefined;
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * A request of the settings API, below its mount point. Where the session has ended, or the member has to prove who it
 * is, it waits until that is done in the dialog over the page, and goes on.
 * @throws ApiProblem for a refusal, ConnectionLost where there was no answer, NotConfirmed without the proof
 */
async function request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const isOfSession = isSession(path);
  // Another member may have signed in meanwhile: nothing is asked for in that one's name.
  if (!isOfSession && sessionState.need() === 'sign-in') await signedInAgain();
  const response = await send(method, path, options);
  if (response.ok) return (response.status === 204 ? null : await response.json()) as T;
  const problem = await problemOf(response);
  const awaited = isOfSession ? null : awaitedFor(problem);
  if (!awaited) throw problem;
  await awaited();
  return request(method, path, options);
}

/** Sign-in and sign-out need no member; each other request is made as the page's member. */
const isSession = (path: string): boolean => /^\/session(?:\/|$)/.test(path);

/** Finds the wait that a refused request needs; null where there is nothing to wait for. */
function awaitedFor({ status, code }: ApiProblem): (() => Promise<unknown>) | null {
  if (code === 'SECOND_FACTOR_REFUSED') return null;
  if (status === 401) return signedInAgain;
  if (code === 'STEP_UP_REQUIRED') return proved;
  return code === 'ENROLMENT_REQUIRED' ? enrolled : null;
}

export const api = {
  get: <T>(path: string, query?: RequestOptions['query'], signal?: AbortSignal): Promise<T> =>
    request<T>('GET', path, { ...(query && { query }), ...(signal && { signal }) }),
  post: <T>(path: string, body?: object, options?: RequestOptions): Promise<T> =>
    request<T>('POST', path, { ...options, ...(body && { body }) }),
  put: <T>(path: string, body: object, options?: RequestOptions): Promise<T> =>
    request<T>('PUT', path, { ...options, body }),
  patch: <T>(path: string, body: object, options?: RequestOptions): Promise<T> =>
    request<T>('PATCH', path, { ...options, body }),
  delete: <T>(path: string, options?: RequestOptions): Promise<T> =>
    request<T>('DELETE', path, options),
};

/** Stores the values of a form: as a change of the item in the version that was read, or as a new one. */
export const save = (
  path: string,
  item: { readonly id: string; readonly version: number } | null,
  values: object,
  idempotencyKey: string,
): Promise<unknown> =>
  item
    ? api.patch(`${path}/${item.id}`, values, { idempotencyKey, ifMatch: item.version })
    : api.post(path, values, { idempotencyKey });

/** A key for one write. */
export const newIdempotencyKey = (): string => crypto.randomUUID();

/** The address of a route, for links and images. */
export function urlOf(path: string, query: RequestOptions['query'] = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value as QueryValue]) {
      if (one !== undefined && one !== null) given.append(name, String(one));
    }
  }
  return `${mount}${path}${given.size > 0 ? `?${given.toString()}` : ''}`;
}

async function send(method: Method, path: string, options: RequestOptions): Promise<Response> {
  const { query, body, signal } = options;
  if (pageIsLeft() && !isSession(path)) return new Promise(() => undefined);
  try {
    return await fetch(urlOf(path, query), {
      ...{ method, headers: headersOf(path, options), signal: signal ?? null },
      body: body instanceof Blob ? body : body ? JSON.stringify(body) : null,
      // A removal arrives also when the page is left meanwhile.
      keepalive: method === 'DELETE',
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ConnectionLost();
  }
}

function headersOf(path: string, options: RequestOptions): Headers {
  const { body, idempotencyKey, ifMatch } = options;
  const headers = new Headers({ accept: 'application/json' });
  if (!isSession(path))
    for (const [name, value] of Object.entries(memberHeader())) headers.set(name, value);
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  if (ifMatch !== undefined) headers.set('if-match', `"${ifMatch}"`);
  if (body && !(body instanceof Blob)) headers.set('content-type', 'application/json');
  return headers;
}

/** The refusal in an answer. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const retryAfter = response.headers.get('retry-after');
  return new ApiProblem(
    response.status,
    typeof body.error === 'string' ? body.error : `HTTP_${response.status}`,
    typeof body.message === 'string' ? body.message : `The server answered ${response.status}.`,
    typeof body.requestId === 'string' ? body.requestId : response.headers.get('x-request-id'),
    Array.isArray(body.details) ? (body.details as FieldFault[]) : [],
    body,
    retryAfter === null ? null : Number(retryAfter),
  );
}

let id: string | null = null;

/** The member whose page this is; null until the account is known. */
export const pageMember = (): string | null => id;

/** Called with each account that is read: the first says whose page it is until it is loaded anew. */
export function pageIsOf(memberId: string): void {
  id ??= memberId;
}

/** Names the page's member, so that the server refuses a request in the name of another one. */
export const memberHeader = (): Readonly<Record<string, string>> =>
  id === null ? {} : { 'x-postroom-member': id };
