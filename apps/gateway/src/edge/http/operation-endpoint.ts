import { Injectable } from '@nestjs/common';
import type { ReplyEnvelope } from '@postroom/bus';
import {
  fileParts,
  invalidField,
  nextPartHeader,
  operationsById,
  Problem,
  type Operation,
} from '@postroom/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  ExportAudit,
  ignoredHeader,
  Invoker,
  KeyAuthentication,
  type Authorization,
} from '../../access/index.js';
import { FileUploads } from '../bodies/file-uploads.js';
import { EntryImports } from '../imports/entry-imports.js';
import { EventStreams, isStreamed } from '../stream/event-streams.js';
import { MailImports } from '../imports/mail-imports.js';
import { lastStep, sendLines, type Continuation } from './continued-answers.js';
import { Inputs } from './inputs.js';
import { LargeAnswers } from './large-answers.js';
import { headerOf } from './request-state.js';

/** Up to it an answer is sent at once, and not counted. */
const smallMax = 64 * 1024;

/** True for an answer that is all there, and short. */
const isSmall = ({ body, bodyRef, headers }: ReplyEnvelope): boolean =>
  bodyRef === undefined && headers[nextPartHeader] === undefined && body.length <= smallMax;

/** The method of an operation's controller. */
export const serverOf = (operation: Operation) =>
  function serve(
    this: { readonly endpoint: OperationEndpoint },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    return this.endpoint.serve(operation, request, reply);
  };

/** A request from the guards to the service and back: steps 9 to 14 of `decisions.md` §2. */
@Injectable()
export class OperationEndpoint {
  constructor(
    private readonly inputs: Inputs,
    private readonly invoker: Invoker,
    private readonly imports: MailImports,
    private readonly entryImports: EntryImports,
    private readonly fileUploads: FileUploads,
    private readonly largeAnswers: LargeAnswers,
    private readonly exports: ExportAudit,
    private readonly eventStreams: EventStreams,
    private readonly keys: KeyAuthentication,
  ) {}

  async serve(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      await this.answer(operation, request, reply);
    } finally {
      this.inputs.discardUploads(operation, request);
    }
  }

  private async answer(
    operation: Operation,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { authorization } = request.state;
    if (!authorization) throw new Problem('UNAUTHENTICATED');
    const { caller } = authorization;
    if (operation.effect === 'read') this.largeAnswers.requireRoom(caller);
    const input = request.state.input ?? (await this.inputs.of(operation, request));
    requireBeginning(operation, input);
    const { ignored } = request.state;
    if (ignored.length > 0) reply.headers(ignoredHeader(ignored));
    const call = (given: object): Promise<ReplyEnvelope> =>
      this.call(operation, authorization, given, request);
    const next = (after: Continuation): Promise<ReplyEnvelope> => call({ ...input, after });
    const first = await call(input);
    if (operation.answer === 'lines') {
      await this.exports.record(operation, caller, input, request.id);
      this.largeAnswers.countStreamed(reply, caller);
      return sendLines(reply, first, next);
    }
    if (isStreamed(first)) {
      const part = (lastEventId: string) =>
        this.nextPart(operation, authorization, { ...input, lastEventId }, request);
      return this.eventStreams.serve(reply, first, { caller, next: part });
    }
    const answer = operation.answer === 'steps' ? await lastStep(first, next) : first;
    if (isSmall(answer)) {
      const headers = { 'content-type': 'application/json; charset=utf-8', ...answer.headers };
      await reply.code(answer.status).headers(headers).send(answer.body);
    } else {
      const { mailbox }: { readonly mailbox?: unknown } = input;
      const filePart = (part: string) =>
        this.call(fileParts.get, authorization, { mailbox, part }, request);
      await this.largeAnswers.send(reply, answer, caller, filePart);
    }
  }

  /**
   * With the rights that the key has now, checked again once the part is there. The service itself answers a key that has
   * ended.
   */
  private async nextPart(
    operation: Operation,
    authorization: Authorization,
    input: object,
    request: FastifyRequest,
  ): Promise<ReplyEnvelope> {
    const { caller } = authorization;
    const current = () => (caller.type === 'key' ? this.keys.current(caller.keyId) : null);
    const asking = await current();
    const part = await this.call(operation, asking ?? authorization, input, request);
    const isAsItWas = JSON.stringify(await current()) === JSON.stringify(asking);
    return isAsItWas ? part : this.nextPart(operation, authorization, input, request);
  }

  /** @throws Problem that the service answered */
  private call(
    operation: Operation,
    authorization: Authorization,
    input: object,
    request: FastifyRequest,
  ): Promise<ReplyEnvelope> {
    const { upload } = operation;
    if (upload) {
      const { caller } = authorization;
      if (upload.isFile) return this.fileUploads.upload(caller, input, request);
      return upload.entries
        ? this.entryImports.importEntries(operation, caller, input, request)
        : this.imports.importMail(caller, input, request);
    }
    return this.invoker.execute({
      // A member's route has a copy (`asMembersCallIt` of the table); its service has the original.
      operation: operationsById.get(operation.id) ?? operation,
      authorization,
      input,
      idempotencyKey: headerOf(request, 'idempotency-key'),
      requestId: request.id,
      traceparent: traceOf(request),
      // The parts of an answer in steps are read here.
      leavesLargeBody: operation.answer !== 'lines' && operation.answer !== 'steps',
    });
  }
}

/**
 * A client asks for all steps of a change at once: only the first is recorded as its request.
 * @throws Problem INVALID_REQUEST for the place of a later step
 */
function requireBeginning(
  { answer, effect }: Operation,
  { after }: { readonly after?: unknown },
): void {
  if (answer === 'steps' && effect !== 'read' && after)
    throw invalidField('after', 'rien attendu', 'expected nothing');
}

/** The W3C trace context of the request; a malformed one is ignored. */
function traceOf(request: FastifyRequest): string | undefined {
  const given = headerOf(request, 'traceparent');
  return given && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(given) ? given : undefined;
}
