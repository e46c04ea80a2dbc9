import { Injectable } from '@nestjs/common';
import { needsApproval, requireMailbox, type Caller } from '@postroom/access';
import {
  isProblemCode,
  mountPoints,
  Problem,
  table,
  type Method,
  type Row,
  type Violation,
} from '@postroom/contracts';
import { OperationClient } from '@postroom/operations';
import type { ReplyEnvelope } from '@postroom/bus';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { KeyAuthentication } from '../authentication/index.js';
import { MailImports } from '../imports/index.js';
import { headerOf } from './headers.js';
import { Inputs } from './inputs.js';
import { sendLines } from './lines.js';
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

  async serve(row: Row, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      await this.answer(row, request, reply);
    } finally {
      this.inputs.letGo(request);
    }
  }

  private async answer(row: Row, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { authorization } = request.edge;
    if (!authorization) throw new Problem('UNAUTHENTICATED');
    const { caller } = authorization;
    const input = request.edge.input ?? (await this.inputs.of(row, request));
    await this.members.check(row, caller, input);
    if ('mailbox' in input) requireMailbox(row, caller, String(input.mailbox));
    // The approvals issue brings the queue; until then it is one that cannot be reached.
    if (needsApproval(row, caller)) throw new Problem('APPROVALS_UNAVAILABLE');
    const ask = async (given: object): Promise<ReplyEnvelope> => {
      const answer = await this.ask(row, caller, given, request);
      if (answer.problem !== null) throw problemOf(answer.problem, answer.body, answer.headers);
      return answer;
    };
    const answer = await ask(input);
    if (row.lines) return sendLines(reply, answer, (after) => ask({ ...input, after }));
    // The change is in force everywhere before it is answered (`decisions.md` §3).
    if (row.service === 'access' && row.effect !== 'read') await this.keys.lease.settled();
    await reply
      .code(answer.status)
      .headers({ 'content-type': json, ...answer.headers })
      .send(answer.body);
  }

  private ask(
    row: Row,
    caller: Caller,
    input: object,
    request: FastifyRequest,
  ): Promise<ReplyEnvelope> {
    if (row.streams.length > 0) return this.imports.run(caller, input, request);
    return this.operations.call(row, caller, input, {
      requestId: request.id,
      idempotencyKey: row.idempotency === 'none' ? undefined : headerOf(request, 'idempotency-key'),
      traceparent: traceOf(request),
    });
  }

  /** A known path of a family that says so answers 405 with the methods it has; any other, 404. */
  unknownRoute({ url, method }: FastifyRequest): Problem {
    const path = url.split('?', 1)[0] ?? '';
    const rows = table.filter(
      (row) => row.errors === 'codes' && pathPattern(row).test(path) && row.method !== method,
    );
    if (rows.length === 0) return new Problem('ROUTE_NOT_FOUND');
    const allow = [...new Set<Method>(rows.map((row) => row.method))].join(', ');
    return new Problem('METHOD_NOT_ALLOWED', { headers: { allow } });
  }
}

const pathPattern = ({ audience, path }: Row): RegExp =>
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
