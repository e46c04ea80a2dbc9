import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/**
 * Bytes of an answer on the wire, of which 4 KiB are kept: interim answers, chunk extensions and trailers are no part of
 * a body, and there is no end of them.
 */
const answerBytesMax = 1024 * 1024;

/** Bytes that each watched connection had read when its last request was sent. */
const before = new WeakMap<Socket, number>();

subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { readonly socket: Socket };
  if (before.has(socket)) before.set(socket, socket.bytesRead);
});

/** Ends a connection on which an answer goes on and on. */
export function boundAnswers(socket: Socket): void {
  before.set(socket, socket.bytesRead);
  // Ahead of undici's own listener, which parses what there is.
  socket.on('readable', () => {
    if (socket.bytesRead - (before.get(socket) ?? 0) > answerBytesMax)
      socket.destroy(new Error('the answer has no end'));
  });
}
