import type { IncomingMessage } from 'node:http';
import { newId, type Operation, type Problem } from '@postroom/contracts';
import type { FastifyRequest } from 'fastify';
import type { Authorization, Refused, RefusedActor } from '../../access/index.js';

/** The state of a request: made when it arrives, filled by the guards. */
export interface RequestState {
  readonly startedMs: number;
  /** Null for a route without an operation. */
  operation: Operation | null;
  authorization: Authorization | null;
  /** The credential, if it was refused. */
  refused: Refused | null;
  /** The member in whose name a sign-in was refused, if something other than the password identifies the member. */
  refusedMember: RefusedActor | null;
  /** The decoded input, where authentication itself needs the body. */
  input: object | null;
  /** The error that it was answered with. */
  problem: Problem | null;
  /** Names of fields and parameters that were ignored. */
  ignored: readonly string[];
}

export const newRequestState = (): RequestState => ({
  startedMs: performance.now(),
  operation: null,
  authorization: null,
  refused: null,
  refusedMember: null,
  input: null,
  problem: null,
  ignored: [],
});

const ownRequestId = /^[A-Za-z0-9._-]{1,64}$/;

/** The client's own request id if it is well-formed, else a new one. */
export function requestIdOf({ headers }: { headers: IncomingMessage['headers'] }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && ownRequestId.test(given) ? given : newId('req');
}

/**
 * A header as one text; none of those that the gateway reads is a list. Node joins a header that was
 * sent twice with a comma; it is joined with a line feed here, which no valid value contains, so that
 * it is refused.
 */
export function headerOf({ headers, raw }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  const isRepeated = Array.isArray(value) || value?.includes(',') === true;
  return isRepeated ? raw.headersDistinct[name]?.join('\n') : value;
}

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState;
  }
}
