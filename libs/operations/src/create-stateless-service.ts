import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { readCallerKey, type CallerKey } from '@postroom/access';
import type { Bus } from '@postroom/bus';
import { builtIns, Problem, type ServiceName } from '@postroom/contracts';
import { logToken, onTheBus, type ProcessParts, type Service } from './create-service.js';
import { encryptionsOf } from './encrypted-calls.js';
import { Engine } from './engine.js';
import { handlers } from './handlers.js';
import { carryLargeBodies } from './large-bodies.js';
import { OperationServer } from './operation-server.js';
import type { BusServiceConfig } from './service-config.js';

/** The resources that the features of a service without a database share. */
export interface StatelessResources<C extends BusServiceConfig = BusServiceConfig> {
  readonly config: C;
  /** Carries bodies of any size. */
  readonly bus: Bus;
  /** Signs the callers of this service. */
  readonly callerKey: CallerKey;
}

export interface StatelessServiceOptions<C extends BusServiceConfig> {
  readonly name: ServiceName;
  readonly config: C;
  readonly process: ProcessParts;
  readonly module: (resources: StatelessResources<C>) => DynamicModule | Type;
}

/**
 * The shell of a service that keeps nothing (`database: false` in the registry): its operations read,
 * and none of them asks a database.
 *
 * @throws Error when an operation of the service has no handler, or two
 */
export async function createStatelessService<C extends BusServiceConfig>({
  name,
  config,
  process,
  module,
}: StatelessServiceOptions<C>): Promise<Service> {
  const { log } = process;
  const large = carryLargeBodies(process.bus, config, log);
  const key = readCallerKey(config.callerKey);
  const engine = new Engine({ database: null, callerKey: key, log });
  const server = new OperationServer(name, large.bus, engine, encryptionsOf({ [name]: key }));
  const features = module({ config, bus: large.bus, callerKey: key });
  const served = await onTheBus(moduleOf(name, features, log), server, { log });
  return {
    async listen() {
      await served.listen();
    },
    async close() {
      await served.close();
      await large.close();
    },
    isConnected: () => true,
    get: served.get.bind(served),
  };
}

@Module({})
class StatelessModule {}

const moduleOf = (
  name: ServiceName,
  features: DynamicModule | Type,
  log: ProcessParts['log'],
): DynamicModule => {
  const providers = [{ provide: logToken, useValue: log }];
  return {
    module: StatelessModule,
    global: true,
    imports: [features],
    providers,
    exports: providers,
    controllers: [builtInHandlersOf(name)],
  };
};

/** The built-in operations of a service that keeps nothing: no backlog, no counts, no quotas. */
const builtInHandlersOf = (name: ServiceName): Type<object> =>
  handlers(builtIns[name], {
    clock: () => Promise.reject(new Problem('ROUTE_NOT_FOUND')),
    health: () => Promise.resolve({ database: true }),
    auditBacklog: () => Promise.resolve({ waiting: 0 }),
    volumes: () => Promise.resolve({ counts: [] }),
    quotas: () => Promise.resolve({ quotas: [] }),
    visible: () => Promise.resolve({ containers: [] }),
  });
