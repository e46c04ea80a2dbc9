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
import { headerOf } from './headers.js';
import { Inputs } from './inputs.js';
import { sendLines } from './lines.js';
import { lastStep } from './steps.js';
import { MemberReferences } from './member-references.js';

const json = 'application/json; charset=utf-8';

/** The way of a request from the guards to the service and back: steps 9 to 14 of `decisions.md` §2. */
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
      this.inputs.letGo(request);
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
    const absent = await this.members.absentFrom(operation, caller, input);
    if (needsApproval(operation, caller)) throw unfiled(operation, input, absent);
    const ask = async (given: object): Promise<ReplyEnvelope> => {
      const answer = await this.ask(operation, caller, given, absent, request);
      if (answer.problem !== null) throw problemOf(answer.problem, answer.body, answer.headers);
      return answer;
    };
    const first = await ask(input);
    const goOn = (after: number): Promise<ReplyEnvelope> => ask({ ...input, after });
    if (operation.lines) return sendLines(reply, first, goOn);
    const answer = operation.steps ? await lastStep(first, goOn) : first;
    // The change is in force everywhere before it is answered (`decisions.md` §3).
    if (operation.service === 'access' && operation.effect !== 'read')
      await this.keys.lease.settled();
    await reply
      .code(answer.status)
      .headers({ 'content-type': json, ...answer.headers })
      .send(answer.body);
  }

  private ask(
    operation: Operation,
    caller: Caller,
    input: object,
    unknownReferences: UnknownReferences,
    request: FastifyRequest,
  ): Promise<ReplyEnvelope> {
    if (operation.streams.length > 0) return this.imports.run(caller, input, request);
    return this.operations.call(operation, caller, input, {
      requestId: request.id,
      idempotencyKey:
        operation.idempotency === 'none' ? undefined : headerOf(request, 'idempotency-key'),
      traceparent: traceOf(request),
      unknownReferences,
    });
  }

  /** A known path of a family that says so answers 405 with the methods it has; any other, 404. */
  unknownRoute({ url, method }: FastifyRequest): Problem {
    const path = url.split('?', 1)[0] ?? '';
    const operations = table.filter(
      (operation) =>
        operation.errors === 'codes' &&
        pathPattern(operation).test(path) &&
        operation.method !== method,
    );
    if (operations.length === 0) return new Problem('ROUTE_NOT_FOUND');
    const allow = [...new Set<Method>(operations.map((operation) => operation.method))].join(', ');
    return new Problem('METHOD_NOT_ALLOWED', { headers: { allow } });
  }
}

/**
 * What would be refused is not filed. The approvals issue brings the queue; until then it is one that
 * cannot be reached.
 */
function unfiled(operation: Operation, input: object, absent: UnknownReferences): Problem {
  const violations = [
    ...operation.timeRule(input, new Date()),
    ...unknownReferenceFaults(operation, absent),
  ];
  return violations.length > 0
    ? new Problem('INVALID_REQUEST', { violations })
    : new Problem('APPROVALS_UNAVAILABLE');
}

const pathPattern = ({ audience, path }: Operation): RegExp =>
  new RegExp(`^${mountPoints[audience]}${path.replaceAll(/:\w+/g, '[^/]+')}$`);

/** The W3C trace context of the request; anything malformed starts no trace of ours. */
function traceOf(request: FastifyRequest): string | undefined {
  const given = headerOf(request, 'traceparent');
  return given && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(given) ? given : undefined;
}

/** The body of a service's refusal. */
interface Refused {
  readonly violations: readonly Violation[];
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A service's refusal, as the problem it was there. */
function problemOf(code: string, body: Buffer, headers: object): Problem {
  const { violations, fields = {} } = JSON.parse(body.toString()) as Refused;
  return new Problem(isProblemCode(code) ? code : 'INTERNAL', {
    violations,
    fields,
    headers: headers as Record<string, string>,
  });
}
