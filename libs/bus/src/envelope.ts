import { problemFacts } from '@postroom/contracts';

/** A call of one operation, addressed to the service that owns it. */
export interface RequestEnvelope {
  /** Unique per call; a redelivery carries the same one. */
  readonly id: string;
  readonly operation: string;
  /** Epoch milliseconds, after which the caller does not wait for the reply. */
  readonly deadlineMs: number;
  /** The Caller as JSON, and the signature over it and this call of the service that asks: the gateway, or MCP. */
  readonly caller: string;
  readonly signature: string;
  readonly idempotencyKey: string | null;
  /** Run the operation, return what it would answer, and roll it back. */
  readonly preview: boolean;
  /** The HTTP request's id, for logs and audit. */
  readonly requestId: string;
  /** W3C trace context. */
  readonly traceparent: string | null;
  /**
   * Requests that share it are handled one by one, in the order sent: tenant and resource of a write.
   * Null for a read.
   */
  readonly orderKey: string | null;
  /**
   * The names in the input that the sender does not know, as JSON `{ unknown: [{ field, name }] }`; null
   * when it knows all of them.
   */
  readonly references: string | null;
  /** The reply topic of the instance that asks; null in one process. */
  readonly replyTo: string | null;
  /** The validated input as JSON; empty where `inputRef` stands for it. */
  readonly input: Buffer;
  /** Reference of an input that is too large for the envelope; between two `ByReferenceBus` only. */
  readonly inputRef?: string;
}

/** The answer: a success with its body, which is passed on unparsed, or a problem. */
export interface ReplyEnvelope {
  /** The request's id. */
  readonly id: string;
  readonly status: number;
  /** HTTP headers of the answer. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The problem's code when the call failed; the body then holds the violations. */
  readonly problem: string | null;
  /** JSON text; empty where `bodyRef` stands for it. */
  readonly body: Buffer;
  /** Reference of a body that is too large for the envelope; between two `ByReferenceBus` only. */
  readonly bodyRef?: string;
  /** Length of the body that `bodyRef` stands for. */
  readonly bodyBytes?: number;
  /** The service's signature, between processes. */
  readonly signature?: string;
}

/** The reply when the handler gives none, so that the caller does not wait until its deadline. */
export const refusal = (
  { id }: RequestEnvelope,
  problem: 'INTERNAL' | 'SERVICE_UNAVAILABLE',
): ReplyEnvelope => ({
  id,
  status: problemFacts(problem).status,
  headers: {},
  problem,
  body: Buffer.from('{"violations":[]}'),
});
