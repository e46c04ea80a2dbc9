export { verifyEvents } from './verify-events.js';
