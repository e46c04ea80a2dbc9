import { problemOf, urlOf } from '../../api/api.js';
import { memberHeader } from '../../api/page-member.js';
import { ConnectionLost } from '../../api/problem.js';

/** A file is sent as the kind of mail that its name says. */
const typeOf = ({ name }: File): string =>
  name.toLowerCase().endsWith('.eml') ? 'message/rfc822' : 'application/mbox';

/**
 * Sends a file, and tells how much of it the server has taken: `fetch` cannot.
 * @throws ApiProblem for a refusal, ConnectionLost where there was no answer
 */
export function upload<T>(
  path: string,
  file: File,
  onProgress: (bytesSent: number) => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const request = new XMLHttpRequest();
  request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
  request.addEventListener('error', () => reject(new ConnectionLost()));
  request.addEventListener('load', () => {
    const { status, responseText } = request;
    if (status < 300) resolve(JSON.parse(responseText) as T);
    else problemOf(new Response(responseText, { status })).then(reject, reject);
  });
  request.open('POST', urlOf(path));
  request.setRequestHeader('content-type', typeOf(file));
  for (const [name, value] of Object.entries(memberHeader())) request.setRequestHeader(name, value);
  request.send(file);
  return promise;
}
