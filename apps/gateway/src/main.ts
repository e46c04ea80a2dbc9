import { KafkaBus } from '@postroom/bus';
import { runProcess } from '@postroom/service';
import { environment, GatewayConfig } from './config.js';
import { createGatewayApp } from './gateway-app.js';

/** The gateway answers what it has in flight before it stops; an operation may take 10 s. */
const drainMs = 20_000;

/** The gateway as a process of its own. */
await runProcess('gateway', GatewayConfig, environment(), async (parts) => {
  const { config, kafka, log, lifecycle } = parts;
  const bus = await KafkaBus.connect({ ...kafka, log });
  lifecycle.onStop('bus', () => bus.close());
  const gateway = await createGatewayApp(config, { ...parts, bus });
  lifecycle.onStop('gateway', () => gateway.close(), drainMs);
  await gateway.listen();
  return bus;
});
