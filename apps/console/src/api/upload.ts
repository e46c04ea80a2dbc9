import { memberHeader, problemOf, urlOf, type RequestOptions } from './api.js';
import { ApiProblem, ConnectionLost } from './problem.js';
import { signedInAgain } from './session.js';

/** A file on its way to the server. */
export interface Uploading<T> {
  /** @throws ApiProblem for a refusal, ConnectionLost where there was no answer, UploadStopped after `stop` */
  readonly done: Promise<T>;
  readonly stop: () => void;
}

/** The member took the file away again. */
class UploadStopped extends Error {}

/** Reads a file. @throws ApiProblem for a refusal, ConnectionLost where there was no answer */
export async function download(
  path: string,
  query: RequestOptions['query'],
  signal: AbortSignal,
): Promise<Blob> {
  const lost = (): never => {
    throw new ConnectionLost();
  };
  const response = await fetch(urlOf(path, query), { headers: memberHeader(), signal }).catch(lost);
  if (!response.ok) throw await problemOf(response);
  return response.blob().catch(lost);
}

/** Sends a file, and reports the bytes sent so far, which `fetch` does not. */
export function upload<T>(
  path: string,
  query: RequestOptions['query'],
  file: Blob,
  onProgress: (bytesSent: number) => void,
): Uploading<T> {
  const request = new XMLHttpRequest();
  const done = new Promise<T>((resolve, reject) => {
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onerror = () => reject(new ConnectionLost());
    request.onabort = () => reject(new UploadStopped());
    request.onload = () => {
      const { status, responseText } = request;
      if (status < 300) resolve(JSON.parse(responseText) as T);
      else problemOf(new Response(responseText, { status })).then(reject, reject);
    };
    request.open('POST', urlOf(path, query));
    request.setRequestHeader('content-type', file.type || 'application/octet-stream');
    for (const [name, value] of Object.entries(memberHeader()))
      request.setRequestHeader(name, value);
    request.send(file);
  });
  /** After the end of the session it goes on once there is another one. */
  const again = async (error: unknown): Promise<T> => {
    if (!(error instanceof ApiProblem) || error.status !== 401) throw error;
    await signedInAgain();
    return upload<T>(path, query, file, onProgress).done;
  };
  return { done: done.catch(again), stop: () => request.abort() };
}
