/** A file to attach by its bytes: the client makes the base64. Its name is that of a File, when not said. */
export interface BlobFile {
  readonly content: Blob;
  readonly filename?: string;
}

/** Options of one call. */
export interface CallOptions {
  /**
   * Names the write, so that its repeats do it once: 8 to 200 printable ASCII characters. The client makes one for
   * each call; give your own where a program that starts again must repeat what it did before.
   */
  readonly idempotencyKey?: string;
  /** Gives up, retries included, after so many milliseconds: 100,000 when not said. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Facts of an operation that a call of it needs. */
export interface OperationFacts {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Parameters as `:name`. */
  readonly path: string;
  /** A read when not said. */
  readonly effect?: 'write' | 'send';
  /** The answer is bytes, handed over as the Response. */
  readonly isFile?: boolean;
  /** Name of the iterator, and of the list in the answer that it goes through. */
  readonly pages?: readonly [string, string];
}

/** An answer to a write that was done. */
export interface Done<T> {
  readonly approvalRequired: false;
  readonly answer: T;
}

/** A write of an agent that waits for a person. */
export interface Waiting<T> {
  readonly approvalRequired: true;
  /** The approval, as the API shows it. */
  readonly approval: { readonly id: string; readonly state: string; readonly expiresAt: string };
  /** The same call again, under the same key: it is answered with what has become of the write. */
  readonly repeat: () => Promise<Done<T> | Waiting<T>>;
}

/** The result of a write: its answer, or to an agent, whose writes may wait for a person, one of the two. */
export type Written<T, A extends boolean> = A extends true ? Done<T> | Waiting<T> : T;

/** Facts of the response that an answer came in. */
export interface ResponseFacts {
  readonly status: number;
  readonly requestId: string | null;
  /** True of a write that was done before: its first answer again. */
  readonly isReplay: boolean;
  /** The key that named the write; null of a read. */
  readonly idempotencyKey: string | null;
  /** Requests that the client made for it: more than one where it had to repeat. */
  readonly attempts: number;
  /** Fields that the server did not know, and ignored. */
  readonly ignored: readonly string[];
}
