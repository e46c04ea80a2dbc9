import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import { asProblem } from '@postroom/operations';
import type { Log } from '@postroom/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answeringPath, renderProblem } from '../../problems.js';
import { languageOf } from './language.js';

/** Maps any thrown value to the HTTP answer; no other code does. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = toProblem(error);
    this.report(problem, error, request.id);
    request.state.problem = problem;
    await this.answer(problem, request, reply);
  }

  /** Sends the problem in the style of the API that was asked. */
  protected async answer(
    problem: Problem,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const answering = request.state.operation ?? answeringPath(request.url);
    const { status, headers, body } = renderProblem(problem, answering, {
      requestId: request.id,
      language: languageOf(request.headers['accept-language']),
    });
    await reply
      .code(status)
      .headers(headers)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(body));
  }

  /** Logs unexpected errors and outages. A problem that a service answered is in that service's log. */
  private report(problem: Problem, error: unknown, requestId: string): void {
    if (problem.status < 500) return;
    if (problem !== error) this.log.error({ err: error, requestId }, 'request failed');
    else if (problem.cause !== undefined) {
      this.log.warn({ err: problem.cause, requestId }, 'request could not be served');
    }
  }
}

/** Errors of Nest and Fastify are mapped by their status; their texts are not shown. */
function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const status = error instanceof HttpException ? error.getStatus() : statusOf(error);
  if (status === 404) return new Problem('ROUTE_NOT_FOUND');
  if (status !== undefined && status >= 400 && status < 500) return new Problem('INVALID_REQUEST');
  return asProblem(error);
}

const statusOf = (error: unknown): number | undefined =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : undefined;
