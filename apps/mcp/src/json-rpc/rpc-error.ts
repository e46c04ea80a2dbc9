import type { JsonObject } from './json.js';

/** The codes of public-api.md §7. */
export const rpcCodes = {
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  notAuthorized: -32001,
  internal: -32603,
} as const;

export type RpcCode = (typeof rpcCodes)[keyof typeof rpcCodes];

/** A refusal that is a JSON-RPC error. */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly code: RpcCode,
    message: string,
    readonly data?: JsonObject,
  ) {
    super(message);
  }
}

/** An error of parameters that names what is wrong with which of them. */
export const invalidParams = (
  message: string,
  details: readonly { readonly field: string; readonly message: string }[] = [],
): RpcError =>
  new RpcError(
    rpcCodes.invalidParams,
    message,
    details.length > 0 ? { details: [...details] } : undefined,
  );
