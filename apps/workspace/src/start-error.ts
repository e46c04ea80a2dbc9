/** What stands in the way is the operator's to change, and the message says how: no stack is shown. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** A port that somebody else holds is the operator's to change: the error says how. */
export const portInUse = (variable: string, port: number, cause: unknown): StartError =>
  new StartError(`Port ${port} is in use. Stop what uses it, or choose another with ${variable}.`, {
    cause,
  });

/** The `code` of a system error (`EADDRINUSE`). */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** The `port` of a system error, the one that could not be listened on. */
export const portOf = (error: unknown): number | undefined =>
  error instanceof Error && 'port' in error ? Number(error.port) : undefined;
