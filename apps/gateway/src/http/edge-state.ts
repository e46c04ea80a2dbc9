import type { Problem, Operation } from '@postroom/contracts';
import type { Authorization, Refused } from '../authentication/index.js';

/** What the edge knows of a request under way; one object, made when it arrives. */
export interface EdgeState {
  readonly startedMs: number;
  /** The operation asked for; null for an unknown route. */
  operation: Operation | null;
  authorization: Authorization | null;
  refused: Refused | null;
  /** The decoded input, where authentication itself needs the body. */
  input: object | null;
  /** What it was answered with, when that was a refusal. */
  problem: Problem | null;
}

export const newEdgeState = (): EdgeState => ({
  startedMs: performance.now(),
  operation: null,
  authorization: null,
  refused: null,
  input: null,
  problem: null,
});

declare module 'fastify' {
  interface FastifyRequest {
    edge: EdgeState;
  }
}
