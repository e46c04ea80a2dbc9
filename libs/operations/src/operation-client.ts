import { hashInput, signCaller, type Caller, type CallerKey } from '@postroom/access';
import { BusUnavailable, type Bus, type ReplyEnvelope } from '@postroom/bus';
import { newId, Problem, type Row, type ServiceName } from '@postroom/contracts';

/** How long a caller waits for an operation (`decisions.md` §11). */
const deadlineAfterMs = 10_000;

export interface CallOptions {
  readonly requestId: string;
  readonly idempotencyKey?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly preview?: boolean;
}

/** Calls operations over the bus in the name of a caller. The gateway alone has one. */
export class OperationClient {
  constructor(
    private readonly bus: Bus,
    /** The signing key of each service. */
    private readonly callerKeys: Readonly<Record<ServiceName, CallerKey>>,
  ) {}

  /** @throws Problem SERVICE_UNAVAILABLE when no reply came in time. */
  async call(
    row: Row,
    caller: Caller,
    input: object,
    options: CallOptions,
  ): Promise<ReplyEnvelope> {
    const { requestId, idempotencyKey, traceparent, preview = false } = options;
    const id = newId('req');
    const callerText = JSON.stringify(caller);
    const bytes = Buffer.from(JSON.stringify(input));
    const deadlineMs = Date.now() + deadlineAfterMs;
    const signature = signCaller(this.callerKeys[row.service], {
      caller: callerText,
      operation: row.id,
      inputHash: hashInput(bytes),
      messageId: id,
      deadlineMs,
    });
    try {
      return await this.bus.request(row.service, {
        id,
        operation: row.id,
        deadlineMs,
        caller: callerText,
        signature,
        idempotencyKey: idempotencyKey ?? null,
        preview,
        requestId,
        traceparent: traceparent ?? null,
        input: bytes,
      });
    } catch (error) {
      if (error instanceof BusUnavailable)
        throw new Problem('SERVICE_UNAVAILABLE', { cause: error });
      throw error;
    }
  }
}
