import { ApiProblem, ConnectionLost, type FieldFault } from './problem.js';
import { signedInAgain } from './session.js';

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
 * A request of the settings API, below its mount point. Where the session has ended, it waits until the member has
 * signed in again in the dialog over the page, and goes on.
 * @throws ApiProblem for a refusal, ConnectionLost where there was no answer
 */
export async function request<T>(
  method: Method,
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  const response = await send(method, path, options);
  if (response.status === 401 && !path.startsWith('/session')) {
    await signedInAgain();
    return request(method, path, options);
  }
  if (!response.ok) throw await problemOf(response);
  return (response.status === 204 ? null : await response.json()) as T;
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
  try {
    return await fetch(urlOf(path, query), {
      ...{ method, headers: headersOf(options), signal: signal ?? null },
      body: body instanceof Blob ? body : body ? JSON.stringify(body) : null,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ConnectionLost();
  }
}

function headersOf({ body, idempotencyKey, ifMatch }: RequestOptions): Headers {
  const headers = new Headers({ accept: 'application/json' });
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  if (ifMatch !== undefined) headers.set('if-match', `"${ifMatch}"`);
  if (body && !(body instanceof Blob)) headers.set('content-type', 'application/json');
  return headers;
}

async function problemOf(response: Response): Promise<ApiProblem> {
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
