/** An error that the operator can correct; the message says how, so no stack is shown. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The error for a port in use: it names the setting that changes the port. */
export const portInUse = (variable: string, port: number, cause: unknown): StartError =>
  new StartError(`Port ${port} is in use. Stop what uses it, or choose another with ${variable}.`, {
    cause,
  });

/** The `code` of a system error (`EADDRINUSE`). */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** The `port` of a system error: the one that could not be bound. */
export const portOf = (error: unknown): number | undefined =>
  error instanceof Error && 'port' in error ? Number(error.port) : undefined;
