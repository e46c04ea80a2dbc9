export { Attempts } from './attempts.js';
export { watchUnknownSends } from './unknown-send-metrics.js';
export { SendsModule } from './sends.module.js';
