import { All, Controller, Req, UseGuards } from '@nestjs/common';
import {
  mountPoints,
  ownText,
  Problem,
  table,
  type Method,
  type Operation,
} from '@postroom/contracts';
import type { FastifyRequest } from 'fastify';
import { ApiKey, Session } from './operations.controllers.js';
import { ApiThrottlerGuard } from './rate-limits.js';

/** Any other route under the public prefix: the key is checked first, then it is 404 or 405. */
@Controller(mountPoints.key)
@UseGuards(ApiKey, ApiThrottlerGuard)
export class UnknownPublicRouteController {
  @All(['', '*'])
  answer(@Req() request: FastifyRequest): never {
    throw unknownRoute(request);
  }
}

/** Any other route under the settings prefix: the session is checked first, then it is 404. */
@Controller(mountPoints.member)
@UseGuards(Session, ApiThrottlerGuard)
export class UnknownSettingsRouteController {
  @All(['', '*'])
  answer(@Req() request: FastifyRequest): never {
    throw unknownRoute(request);
  }
}

/**
 * The answer to a route without an operation: 405 for a known path of a family with codes, or of an
 * operation that speaks a protocol of its own; else 404.
 */
function unknownRoute({ url, method }: FastifyRequest): Problem {
  const path = url.split('?', 1)[0] ?? '';
  const operations = table.filter(
    (operation) =>
      (operation.codes !== null || ownText(operation.request) !== null) &&
      pathPattern(operation).test(path) &&
      operation.method !== method,
  );
  if (operations.length === 0) return new Problem('ROUTE_NOT_FOUND');
  const methods = new Set<Method>(operations.map((operation) => operation.method));
  // The same route answers both (RFC 9110 §9.3.2).
  const allow = [...methods].map((one) => (one === 'GET' ? 'GET, HEAD' : one)).join(', ');
  return new Problem('METHOD_NOT_ALLOWED', { headers: { allow } });
}

const pathPattern = ({ audience, path }: Operation): RegExp =>
  new RegExp(`^${mountPoints[audience]}${path.replaceAll(/:\w+/g, '[^/]+')}$`);
