import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { newId, Problem } from '@postroom/contracts';
import { answeringPath, renderProblem } from '../../problems.js';
import { longUploads } from '../bodies/body-chunks.js';
import { requestIdOf } from './request-state.js';

const json = 'application/json; charset=utf-8';

/** The answer to what is no valid request; the body is JSON text. */
function refusal(url: string, requestId: string) {
  const problem = new Problem('INVALID_REQUEST');
  const { body, ...rest } = renderProblem(problem, answeringPath(url), { requestId });
  return { ...rest, body: JSON.stringify(body) };
}

/** Answers `Expect` other than 100-continue (RFC 9110 §10.1.1); Node would answer an empty 417. */
export function refuseUnknownExpectations(server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const requestId = requestIdOf(request);
    const { body } = refusal(request.url ?? '', requestId);
    response.writeHead(417, { 'content-type': json, 'x-request-id': requestId });
    response.end(body);
  });
}

const statusByCode: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers on the socket, since there is no request object for what Node cannot parse. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  // Streamed bodies have an idle timeout of their own.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && longUploads.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newId('req');
  const { body } = refusal('', requestId);
  socket.end(
    `HTTP/1.1 ${statusByCode[error.code ?? ''] ?? '400 Bad Request'}\r\n` +
      `Content-Type: ${json}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  );
}
