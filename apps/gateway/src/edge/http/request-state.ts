import type { Problem, Operation } from '@postroom/contracts';
import type { Authorization, Refused } from '../../access/index.js';

/** The state of a request: made when it arrives, filled by the guards. */
export interface RequestState {
  readonly startedMs: number;
  /** Null for a route without an operation. */
  operation: Operation | null;
  authorization: Authorization | null;
  /** The credential, if it was refused. */
  refused: Refused | null;
  /** The decoded input, where authentication itself needs the body. */
  input: object | null;
  /** The error that it was answered with. */
  problem: Problem | null;
}

export const newRequestState = (): RequestState => ({
  startedMs: performance.now(),
  operation: null,
  authorization: null,
  refused: null,
  input: null,
  problem: null,
});

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState;
  }
}
