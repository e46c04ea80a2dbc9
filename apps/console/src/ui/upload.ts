import { urlOf, type RequestOptions } from '../api/api.js';
import { memberHeader } from '../api/page-member.js';
import { ApiProblem, ConnectionLost, type FieldFault } from '../api/problem.js';

/** Sends a file, and tells how much of it has gone; `fetch` does not say. */
export function upload<T>(
  path: string,
  query: RequestOptions['query'],
  file: Blob,
  onProgress: (part: number) => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const request = new XMLHttpRequest();
  request.open('POST', urlOf(path, query));
  request.setRequestHeader('content-type', file.type);
  for (const [name, value] of Object.entries(memberHeader())) request.setRequestHeader(name, value);
  request.responseType = 'json';
  request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
  request.onerror = () => reject(new ConnectionLost());
  request.onload = () => {
    if (request.status < 300) resolve(request.response as T);
    else reject(problemOf(request));
  };
  request.send(file);
  return promise;
}

function problemOf({ status, response }: XMLHttpRequest): ApiProblem {
  const body = (response ?? {}) as Record<string, unknown>;
  const text = (name: string, otherwise: string): string =>
    typeof body[name] === 'string' ? body[name] : otherwise;
  return new ApiProblem(
    status,
    text('error', `HTTP_${status}`),
    text('message', `The server answered ${status}.`),
    text('requestId', '') || null,
    Array.isArray(body.details) ? (body.details as FieldFault[]) : [],
    body,
    null,
  );
}
