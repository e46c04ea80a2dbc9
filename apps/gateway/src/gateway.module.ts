import { Module, type DynamicModule } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { readCallerKey } from '@postroom/access';
import { gatewayService } from '@postroom/contracts';
import { OperationClient, type CallerKeys, type Resources } from '@postroom/operations';
import { Health, Metrics } from '@postroom/service';
import { accessHandlers, accessProviders, RequestCounts } from './access/index.js';
import type { GatewayConfig } from './config.js';
import { edgeControllers, edgeProviders, throttlerOptions } from './edge/index.js';

/** The parts of the gateway beside those of every service. */
interface GatewayParts extends Resources<GatewayConfig> {
  readonly health: Health;
  readonly metrics: Metrics;
}

@Module({})
export class GatewayModule {
  static from(parts: GatewayParts): DynamicModule {
    const { config, bus, database, health, metrics } = parts;
    const counts = new RequestCounts(database);
    return {
      module: GatewayModule,
      imports: [ThrottlerModule.forRoot(throttlerOptions(config, counts))],
      controllers: [...accessHandlers, ...edgeControllers],
      providers: [
        ...accessProviders(parts),
        ...edgeProviders(parts),
        { provide: Health, useValue: health },
        { provide: Metrics, useValue: metrics },
        { provide: OperationClient, useValue: new OperationClient(bus, callerKeysOf(parts)) },
      ],
    };
  }
}

/** The gateway signs callers for each service with that service's key. */
const callerKeysOf = ({ config, callerKey: own }: Resources<GatewayConfig>): CallerKeys => ({
  ...keysOfServices(config),
  [gatewayService]: own,
});

/** The keys of the other services. */
export const keysOfServices = ({ callerKeys }: GatewayConfig): CallerKeys =>
  Object.fromEntries(Object.entries(callerKeys).map(([name, key]) => [name, readCallerKey(key)]));
