import { Injectable } from '@nestjs/common';
import { needsApproval, requireMailbox, type Caller } from '@postroom/access';
import {
  isProblemCode,
  mountPoints,
  Problem,
  table,
  type Method,
  type Operation,
  type Violation,
} from '@postroom/contracts';
import {
  unknownReferenceFaults,
  OperationClient,
  type UnknownReferences,
} from '@postroom/operations';
import type { ReplyEnvelope } from '@postroom/bus';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { KeyAuthentication } from '../authentication/index.js';
import { MailImports } from '../imports/index.js';
import { lastStep, sendLines } from './continued-answers.js';
import { headerOf, Inputs } from './inputs.js';
import { MemberReferences } from './member-references.js';

/** One call of a service. */
interface Call {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly input: object;
  readonly unknown: UnknownReferences;
}

const json = 'application/json; charset=utf-8';

/** A request from the guards to the service and back: steps 9 to 14 of `decisions.md` §2. */
@Injectable()
export class Edge {
  constructor(
    private readonly inputs: Inputs,
    private readonly members: MemberReferences,
    private readonly operations: OperationClient,
    private readonly keys: KeyAuthentication,
    private readonly imports: MailImports,
  ) {}

  async serve(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      await this.answer(operation, request, reply);
    } finally {
      this.inputs.discardUploads(request);
    }
  }

  private async answer(
    operation: Operation,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { authorization } = request.edge;
    if (!authorization) throw new Problem('UNAUTHENTICATED');
    const { caller } = authorization;
    const input = request.edge.input ?? (await this.inputs.of(operation, request));
    if ('mailbox' in input) requireMailbox(operation, caller, String(input.mailbox));
    const unknown = await this.members.unknownIn(operation, caller, input);
    if (needsApproval(operation, caller)) throw approvalRefusal(operation, input, unknown);
    const call = (given: object): Promise<ReplyEnvelope> =>
      this.call({ operation, caller, input: given, unknown }, request);
    const next = (after: number): Promise<ReplyEnvelope> => call({ ...input, after });
    const first = await call(input);
    if (operation.lines) return sendLines(reply, first, next);
    const answer = operation.steps ? await lastStep(first, next) : first;
    // A change of rights is answered once it is in force on every gateway (`decisions.md` §3).
    if (operation.service === 'access' && operation.effect !== 'read')
      await this.keys.lease.waitUntilInForce();
    await reply
      .code(answer.status)
      .headers({ 'content-type': json, ...answer.headers })
      .send(answer.body);
  }

  /** @throws Problem that the service answered */
  private async call(
    { operation, caller, input, unknown }: Call,
    request: FastifyRequest,
  ): Promise<ReplyEnvelope> {
    const keyed = operation.idempotency !== 'none';
    const answer =
      operation.streams.length > 0
        ? await this.imports.run(caller, input, request)
        : await this.operations.call(operation, caller, input, {
            requestId: request.id,
            idempotencyKey: keyed ? headerOf(request, 'idempotency-key') : undefined,
            traceparent: traceOf(request),
            unknownReferences: unknown,
          });
    if (answer.problem === null) return answer;
    throw problemOf(answer.problem, answer.body, answer.headers);
  }

  /** The answer to a route without an operation: 405 for a known path of a family with codes, else 404. */
  unknownRoute({ url, method }: FastifyRequest): Problem {
    const path = url.split('?', 1)[0] ?? '';
    const operations = table.filter(
      (operation) =>
        operation.codes !== null &&
        pathPattern(operation).test(path) &&
        operation.method !== method,
    );
    if (operations.length === 0) return new Problem('ROUTE_NOT_FOUND');
    const allow = [...new Set<Method>(operations.map((operation) => operation.method))].join(', ');
    return new Problem('METHOD_NOT_ALLOWED', { headers: { allow } });
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

const pathPattern = ({ audience, path }: Operation): RegExp =>
  new RegExp(`^${mountPoints[audience]}${path.replaceAll(/:\w+/g, '[^/]+')}$`);

/** The W3C trace context of the request; a malformed one is ignored. */
function traceOf(request: FastifyRequest): string | undefined {
  const given = headerOf(request, 'traceparent');
  return given && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(given) ? given : undefined;
}

/** The body of a reply that refuses. */
interface Refusal {
  readonly violations: readonly Violation[];
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The problem that a service replied with. */
function problemOf(code: string, body: Buffer, headers: object): Problem {
  const { violations, fields = {} } = JSON.parse(body.toString()) as Refusal;
  return new Problem(isProblemCode(code) ? code : 'INTERNAL', {
    violations,
    fields,
    headers: headers as Record<string, string>,
  });
}
