import { Injectable } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import { operationsById, referencesOf, type Operation } from '@postroom/contracts';
import { OperationClient, type CallOptions } from '@postroom/operations';
import { problemOf } from '../../problems.js';
import { References } from './references.js';

/** A call of the service that owns an operation, in the name of a caller who may make it. */
export interface ServiceCall extends Omit<CallOptions, 'unknownReferences'> {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly input: object;
}

/** The operations whose input names a resource of the workspace. */
const naming: ReadonlySet<string> = new Set(
  [...operationsById.values()]
    .filter(({ fields }) => referencesOf(fields.body).length > 0)
    .map(({ id }) => id),
);

/** Calls services: looks up what the input names, and converts a reply that refuses into its problem. */
@Injectable()
export class ServiceCalls {
  constructor(
    private readonly references: References,
    private readonly operations: OperationClient,
  ) {}

  /** @throws Problem that the service answered, or SERVICE_UNAVAILABLE */
  async make({ operation, caller, input, ...options }: ServiceCall): Promise<ReplyEnvelope> {
    const { idempotencyKey, requestId } = options;
    const unknownReferences = naming.has(operation.id)
      ? await this.references.unknownIn(operation, caller, input, requestId)
      : undefined;
    const answer = await this.operations.call(operation, caller, input, {
      ...options,
      idempotencyKey: operation.idempotency === 'none' ? undefined : idempotencyKey,
      unknownReferences,
    });
    if (answer.problem !== null) throw problemOf(answer);
    return answer;
  }
}
