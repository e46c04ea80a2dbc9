import { Injectable } from '@nestjs/common';
import { checksBeforeBody, needsApproval, requireMailbox } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import {
  decode,
  gatewayService,
  Problem,
  type Operation,
  type Violation,
} from '@postroom/contracts';
import { ApprovalQueue } from '../approvals/approval-queue.js';
import type { Authorization } from '../authentication/authorizations.js';
import { KeyAuthentication } from '../authentication/key-authentication.js';
import { ServiceCalls } from './service-calls.js';

/** A request before its input is read: steps 4 to 8 of `decisions.md` §2 are judged by it. */
export interface CallRequest {
  readonly operation: Operation;
  readonly authorization: Authorization;
  /** As it was given; ignored where the operation takes none. */
  readonly idempotencyKey: string | undefined;
}

/** A request with its validated input, whichever surface it came by (its caller's `source`). */
export interface Invocation extends CallRequest {
  readonly input: object;
  /** The Idempotency-Key was made of the call itself. */
  readonly keyIsDerived?: boolean | undefined;
  /** The program that asks, as it names itself; shown with what it files for approval. */
  readonly client?: string | undefined;
  readonly requestId: string;
  readonly traceparent?: string | undefined;
  /** Id of the message to the service, where a repeat must be the same message. */
  readonly messageId?: string | undefined;
  /** Time limit for its service; as the operation says, when not given. */
  readonly timeoutMs?: number | undefined;
  /** A large answer may be a reference in the blob store (see `RequestOptions`). */
  readonly leavesLargeBody?: boolean;
}

/**
 * A request from its caller to the service and back, the same for every surface: steps 4 to 8, 10, 11
 * and 13 of `decisions.md` §2. Steps 12 (replay) and 14 (the operation) are its service's.
 */
@Injectable()
export class Invoker {
  constructor(
    private readonly calls: ServiceCalls,
    private readonly queue: ApprovalQueue,
    private readonly keys: KeyAuthentication,
  ) {}

  /** Makes the checks before the input is read. @throws Problem */
  authorize({ operation, authorization, idempotencyKey }: CallRequest): void {
    const { caller, sendOpen } = authorization;
    for (const check of checksBeforeBody) check({ operation, caller, idempotencyKey, sendOpen });
  }

  /**
   * Follows {@link authorize} and the decoding of the input. A write that waits for approval is
   * filed, and answered 202.
   * @throws Problem of the checks, or that the service answered
   */
  async execute({ authorization, ...asked }: Invocation): Promise<ReplyEnvelope> {
    const { operation, input, idempotencyKey } = asked;
    const { caller } = authorization;
    if ('mailbox' in input) requireMailbox(operation, caller, String(input.mailbox));
    if (caller.type !== 'key' || !needsApproval(operation, caller)) {
      const answer = await this.calls.make({ ...asked, caller });
      // A change of rights is answered once it is in force on every gateway (`decisions.md` §3).
      if (operation.service === gatewayService && operation.effect !== 'read')
        await this.keys.lease.waitUntilInForce();
      return answer;
    }
    if (idempotencyKey === undefined) throw new Problem('IDEMPOTENCY_KEY_REQUIRED');
    return this.queue.file({ ...asked, caller, idempotencyKey });
  }
}

/** The sources of an input: texts (of path, query and headers), which win, and a JSON body. */
interface RawInput {
  readonly texts?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** A validated input. */
export interface DecodedInput {
  readonly input: object;
  /** Names that it does not know, where it is free-form. */
  readonly ignored: readonly string[];
}

/**
 * Step 9 of `decisions.md` §2: the validated input of an operation.
 * @throws Problem INVALID_REQUEST, ATTACHMENTS_TOO_LARGE
 */
export function decodedInput(operation: Operation, { texts = {}, body }: RawInput): DecodedInput {
  const { unknownFields } = operation;
  const decoded = decode(operation.input, { texts, body, unknownFields });
  if (decoded.violations) throw invalidInput(allFaults(operation, decoded));
  const faults = operation.rule?.(decoded.input) ?? [];
  const wrong = faults.filter(({ tooLarge }) => !tooLarge);
  if (wrong.length > 0) throw invalidInput(wrong);
  if (faults.length > 0) throw new Problem('ATTACHMENTS_TOO_LARGE');
  return { input: decoded.input, ignored: decoded.ignored };
}

/**
 * The faults of fields, and, in a family that answers the first of its codes (`decisions.md` §2), those that the
 * sound fields have together: `END_BEFORE_START` comes before the code of a link.
 */
function allFaults(
  { codes, rule }: Operation,
  {
    violations,
    sound,
  }: { readonly violations: readonly Violation[]; readonly sound: object | null },
): readonly Violation[] {
  if (codes === null || sound === null) return violations;
  const faulty = new Set(violations.map(({ field }) => field.split('.', 1)[0]));
  const others = (rule?.(sound) ?? []).filter(({ field }) => !faulty.has(field.split('.', 1)[0]));
  return [...violations, ...others];
}

/** The refusal of an input with these faults. */
export const invalidInput = (violations: readonly Violation[]): Problem =>
  new Problem('INVALID_REQUEST', { violations });
