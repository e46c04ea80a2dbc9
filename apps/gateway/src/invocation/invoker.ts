import { Injectable } from '@nestjs/common';
import { checksBeforeBody, needsApproval, requireMailbox } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import { Problem, type Operation } from '@postroom/contracts';
import {
  OperationClient,
  unknownReferenceFaults,
  type UnknownReferences,
} from '@postroom/operations';
import type { Authorization } from '../authentication/index.js';
import { MemberReferences } from './member-references.js';
import { problemOf } from './problem-of-reply.js';

/** Who asks for which operation: what steps 4 to 8 of `decisions.md` §2 are judged by. */
export interface Asked {
  readonly operation: Operation;
  readonly authorization: Authorization;
  /** As it was given; ignored where the operation takes none. */
  readonly idempotencyKey: string | undefined;
}

/** A request with its validated input, whichever surface it came by (its caller's `source`). */
export interface Invocation extends Asked {
  readonly input: object;
  readonly requestId: string;
  readonly traceparent?: string | undefined;
  /** Of the message to the service, where a repeat must be the same message. */
  readonly messageId?: string | undefined;
  /** How long its service may take; as the operation says, when not given. */
  readonly timeoutMs?: number | undefined;
}

/**
 * A request from its caller to the service and back: steps 5 to 14 of `decisions.md` §2, the same for
 * every surface.
 */
@Injectable()
export class Invoker {
  constructor(
    private readonly members: MemberReferences,
    private readonly operations: OperationClient,
  ) {}

  /** Steps 4 to 8: what is judged before the input is read. @throws Problem */
  admit({ operation, authorization, idempotencyKey }: Asked): void {
    const { caller, sendOpen } = authorization;
    for (const check of checksBeforeBody) check({ operation, caller, idempotencyKey, sendOpen });
  }

  /**
   * Steps 10 to 14, after {@link admit} and the decoding of the input.
   * @throws Problem of the checks, or that the service answered
   */
  async carryOut(invocation: Invocation): Promise<ReplyEnvelope> {
    const { operation, authorization, input } = invocation;
    const { caller } = authorization;
    if ('mailbox' in input) requireMailbox(operation, caller, String(input.mailbox));
    const unknown = await this.members.unknownIn(operation, caller, input);
    if (needsApproval(operation, caller)) throw approvalRefusal(operation, input, unknown);
    return this.call(invocation, unknown);
  }

  private async call(
    { operation, authorization, input, idempotencyKey, ...rest }: Invocation,
    unknownReferences: UnknownReferences,
  ): Promise<ReplyEnvelope> {
    const { requestId, traceparent, messageId, timeoutMs = operation.deadlineMs } = rest;
    const answer = await this.operations.call(operation, authorization.caller, input, {
      requestId,
      traceparent,
      messageId,
      timeoutMs,
      idempotencyKey: operation.idempotency === 'none' ? undefined : idempotencyKey,
      unknownReferences,
    });
    if (answer.problem === null) return answer;
    throw problemOf(answer);
  }
}

/**
 * The refusal of a write that needs approval. An invalid one is refused as such; the others are
 * answered as if the queue of approvals were down, until there is one.
 */
function approvalRefusal(operation: Operation, input: object, unknown: UnknownReferences): Problem {
  const violations = [
    ...operation.timeRule(input, new Date()),
    ...unknownReferenceFaults(operation, unknown),
  ];
  return violations.length > 0
    ? new Problem('INVALID_REQUEST', { violations })
    : new Problem('APPROVALS_UNAVAILABLE');
}
