import type { Upload, UploadAnswer } from '@postroom/contracts';
import { urlOf } from '../api/api.js';
import { memberHeader } from '../api/page-member.js';
import { ApiProblem, ConnectionLost } from '../api/problem.js';
import { signedInAgain } from '../api/session.js';

/** Base64 characters of all files of a message, as the API bounds them; four for each three bytes. */
const charactersMax = 26_214_400;
export const filesMax = 50;
export const bytesMax = (charactersMax / 4) * 3;

/** A name that the API takes: no path, no control characters. */
export const fileName = (name: string): string =>
  name
    .replace(/[\p{Cc}/\\]/gu, '_')
    .slice(0, 255)
    .trim() || 'file';

export interface Uploading {
  readonly done: Promise<Upload>;
  readonly stop: () => void;
}

/** Uploads a file and tells how much of it has arrived, from 0 to 1. */
export function uploadFile(
  file: File,
  mailbox: string,
  onProgress: (share: number) => void,
): Uploading {
  const request = new XMLHttpRequest();
  const done = new Promise<Upload>((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onerror = () => reject(new ConnectionLost());
    request.onabort = () => reject(new UploadStopped());
    request.onload = () => {
      if (request.status === 201)
        resolve((JSON.parse(request.responseText) as UploadAnswer).upload);
      else reject(problemOf(request));
    };
    request.open('POST', urlOf('/v1/attachments', { mailbox, filename: fileName(file.name) }));
    request.setRequestHeader('content-type', file.type || 'application/octet-stream');
    for (const [name, value] of Object.entries(memberHeader()))
      request.setRequestHeader(name, value);
    request.send(file);
  });
  return { done: done.catch(again(file, mailbox, onProgress)), stop: () => request.abort() };
}

/** The member took the file away again. */
export class UploadStopped extends Error {}

/** After the end of the session, once there is another one. */
const again =
  (file: File, mailbox: string, onProgress: (share: number) => void) =>
  async (error: unknown): Promise<Upload> => {
    if (!(error instanceof ApiProblem) || error.status !== 401) throw error;
    await signedInAgain();
    return uploadFile(file, mailbox, onProgress).done;
  };

function problemOf(request: XMLHttpRequest): ApiProblem {
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(request.responseText) as Record<string, unknown>;
  } catch {
    // Not every proxy answers JSON.
  }
  const message = typeof body.message === 'string' ? body.message : 'The file was not taken.';
  const code = typeof body.error === 'string' ? body.error : `HTTP_${request.status}`;
  const requestId = typeof body.requestId === 'string' ? body.requestId : null;
  return new ApiProblem(request.status, code, message, requestId, [], body, null);
}
