import { KafkaBus } from '@postroom/bus';
import { runProcess } from '@postroom/service';
import { environment, MailConfig } from './config.js';
import { createMailApp } from './mail-app.js';

/** Mail that is coming in, and operations under way, are finished before it stops. */
const stopMs = 20_000;

/** The mail service as a process of its own. */
await runProcess('mail', MailConfig, environment(), async (parts) => {
  const { config, kafka, log, lifecycle, health } = parts;
  const bus = await KafkaBus.connect({ ...kafka, log, sendsRequests: false });
  lifecycle.onStop('bus', () => bus.close());
  const mail = await createMailApp(config, bus, log);
  lifecycle.onStop('mail', () => mail.close(), stopMs);
  await mail.listen();
  health.ready('mail database', () => mail.isConnected || 'no connection');
  return bus;
});
