import {
  All,
  Controller,
  Inject,
  Req,
  RequestMapping,
  RequestMethod,
  Res,
  SetMetadata,
  UseGuards,
  type CanActivate,
  type Type,
} from '@nestjs/common';
import { mountPoints, type Audience, type Method, type Row } from '@postroom/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiKeyStrategy, SessionStrategy, strategyOf } from '../authentication/index.js';
import { Edge } from './edge.js';
import { FamilyThrottlerGuard } from './family-throttler.guard.js';
import {
  Authenticated,
  ChecksGuard,
  CredentialsGuard,
  OriginGuard,
  RowGuard,
  rowMetadata,
} from './guards.js';

const methods: Readonly<Record<Method, RequestMethod>> = {
  GET: RequestMethod.GET,
  POST: RequestMethod.POST,
  PUT: RequestMethod.PUT,
  PATCH: RequestMethod.PATCH,
  DELETE: RequestMethod.DELETE,
};

const ApiKey = Authenticated(ApiKeyStrategy);
const Session = Authenticated(SessionStrategy);

const guardsOfAudience: Readonly<Record<Audience, (row: Row) => Type<CanActivate>[]>> = {
  gateway: () => [],
  key: () => [ApiKey, FamilyThrottlerGuard],
  member: () => [OriginGuard, Session],
  anyone: (row) => [OriginGuard, CredentialsGuard, Authenticated(strategyOf(row))],
};

/** The guards of a row, in the order of `decisions.md` §2. */
const guardsOf = (row: Row): Type<CanActivate>[] => [
  RowGuard,
  ...guardsOfAudience[row.audience](row),
  ChecksGuard,
];

const isAskedOverHttp = ({ audience }: Row): boolean => audience !== 'gateway';

class OperationsController {
  constructor(@Inject(Edge) protected readonly edge: Edge) {}
}

/** Nest controllers made from rows: one method a row, that does nothing but hand it to the edge. */
export function controllersOf(rows: readonly Row[]): Type[] {
  return rows.filter(isAskedOverHttp).map((row) => {
    class RowController extends OperationsController {}
    const serve = function (
      this: RowController,
      request: FastifyRequest,
      reply: FastifyReply,
    ): Promise<void> {
      return this.edge.serve(row, request, reply);
    };
    const descriptor = { value: serve, writable: true, configurable: true };
    Object.defineProperty(serve, 'name', { value: row.id });
    Object.defineProperty(RowController, 'name', { value: `${row.id}Controller` });
    Object.defineProperty(RowController.prototype, row.name, descriptor);
    Req()(RowController.prototype, row.name, 0);
    Res()(RowController.prototype, row.name, 1);
    SetMetadata(rowMetadata, row)(RowController.prototype, row.name, descriptor);
    UseGuards(...guardsOf(row))(RowController.prototype, row.name, descriptor);
    RequestMapping({ path: row.path, method: methods[row.method] })(
      RowController.prototype,
      row.name,
      descriptor,
    );
    Controller(mountPoints[row.audience])(RowController);
    return RowController;
  });
}

/** Whatever else is asked under the public prefix: a key first, then 404 or 405. */
@Controller(mountPoints.key)
@UseGuards(ApiKey, FamilyThrottlerGuard)
export class UnknownPublicRouteController extends OperationsController {
  @All(['', '*'])
  answer(@Req() request: FastifyRequest): never {
    throw this.edge.unknownRoute(request);
  }
}

/** Whatever else is asked under the settings prefix: a session first, then 404. */
@Controller(mountPoints.member)
@UseGuards(Session)
export class UnknownSettingsRouteController extends OperationsController {
  @All(['', '*'])
  answer(@Req() request: FastifyRequest): never {
    throw this.edge.unknownRoute(request);
  }
}
