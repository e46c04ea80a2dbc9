import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { asProblem } from '@postroom/operations';
import { Problem } from '@postroom/contracts';
import type { Log } from '@postroom/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderProblem, styleOfPath } from './render-problem.js';

/** The one place where what was thrown becomes an HTTP answer. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = toProblem(error);
    this.report(problem, error, request.id);
    request.edge.problem = problem;
    const style = request.edge.operation?.errors ?? styleOfPath(request.url);
    const { status, headers, body } = renderProblem(problem, style, request.id);
    await reply
      .code(status)
      .headers(headers)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(body));
  }

  /** Logs our faults and the world's; what a service answered with is in its own log. */
  private report(problem: Problem, error: unknown, requestId: string): void {
    if (problem.status < 500) return;
    if (problem !== error) this.log.error({ err: error, requestId }, 'request failed');
    else if (problem.cause !== undefined) {
      this.log.warn({ err: problem.cause, requestId }, 'request could not be served');
    }
  }
}

/** Nest's and Fastify's own refusals by their status; the texts are ours. */
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
