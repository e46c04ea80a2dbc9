import {
  applyDecorators,
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
import {
  mountPoints,
  type Method,
  type MountedOperation,
  type Operation,
} from '@postroom/contracts';
import {
  ApiKeyStrategy,
  Authenticated,
  ChecksGuard,
  OperationGuard,
  operationMetadata,
} from './guards.js';
import { CredentialsGuard, OriginGuard } from './member-guards.js';
import { OperationEndpoint, serverOf } from './operation-endpoint.js';
import { ApiThrottlerGuard } from './rate-limits.js';
import { SessionStrategy, strategyOf } from './member-strategies.js';

const methods: Readonly<Record<Method, RequestMethod>> = {
  GET: RequestMethod.GET,
  POST: RequestMethod.POST,
  PUT: RequestMethod.PUT,
  PATCH: RequestMethod.PATCH,
  DELETE: RequestMethod.DELETE,
};

export const ApiKey = Authenticated(ApiKeyStrategy);
export const Session = Authenticated(SessionStrategy);

type GuardsOf = (operation: Operation) => Type<CanActivate>[];

const guardsOfAudience: Readonly<Record<MountedOperation['audience'], GuardsOf>> = {
  key: () => [ApiKey, ApiThrottlerGuard],
  member: () => [OriginGuard, Session, ApiThrottlerGuard],
  anyone: (operation) => [OriginGuard, CredentialsGuard, Authenticated(strategyOf(operation))],
};

/** The guards of an operation, in the order of `decisions.md` §2. */
const guardsOf = (operation: MountedOperation): Type<CanActivate>[] => [
  OperationGuard,
  ...guardsOfAudience[operation.audience](operation),
  ChecksGuard,
];

class OperationsController {
  constructor(@Inject(OperationEndpoint) protected readonly endpoint: OperationEndpoint) {}
}

/** A Nest controller for each operation with a route; its one method is that of {@link serverOf}. */
export const controllersOf = (operations: readonly MountedOperation[]): Type[] =>
  operations.map(controllerOf);

function controllerOf(operation: MountedOperation): Type {
  const { id, name, path, audience, method } = operation;
  class OperationController extends OperationsController {}
  const { prototype } = OperationController;
  const descriptor = { value: serverOf(operation), writable: true, configurable: true };
  Object.defineProperty(OperationController, 'name', { value: `${audience} ${id}` });
  Object.defineProperty(prototype, name, descriptor);
  Req()(prototype, name, 0);
  Res()(prototype, name, 1);
  applyDecorators(
    RequestMapping({ path, method: methods[method] }),
    UseGuards(...guardsOf(operation)),
    SetMetadata(operationMetadata, operation),
  )(prototype, name, descriptor);
  Controller(mountPoints[audience])(OperationController);
  return OperationController;
}
