export { SendersModule } from './senders.module.js';
