import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { asProblem } from '@postroom/operations';
import { mountPoints, Problem, type ErrorStyle } from '@postroom/contracts';
import type { Log } from '@postroom/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderProblem } from './render-problem.js';

/** The one place where what was thrown becomes an HTTP answer. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = toProblem(error);
    if (problem.code === 'INTERNAL') {
      this.log.error({ err: error, requestId: request.id }, 'request failed');
    }
    request.edge.problem = problem;
    const { status, headers, body } = renderProblem(problem, styleOf(request), request.id);
    await reply
      .code(status)
      .headers(headers)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(body));
  }
}

const styleOf = ({ edge, url }: FastifyRequest): ErrorStyle =>
  edge.row && edge.row.errors !== 'codes'
    ? edge.row.errors
    : url.startsWith(`${mountPoints.member}/`)
      ? 'settings'
      : 'text';

/** Nest's and Fastify's own refusals by their status; the texts are ours. */
function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const status = error instanceof HttpException ? error.getStatus() : statusOf(error);
  if (status === 404) return new Problem('ROUTE_NOT_FOUND');
  if (status === 413) return new Problem('BODY_TOO_LARGE');
  if (status !== undefined && status >= 400 && status < 500) return new Problem('INVALID_REQUEST');
  return asProblem(error);
}

const statusOf = (error: unknown): number | undefined =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : undefined;
