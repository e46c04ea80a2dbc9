export { Attempts } from './attempts.js';
export { SendsModule } from './sends.module.js';
