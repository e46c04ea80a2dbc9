export * from './callers.js';
export { declaredEvent } from './declared-event.js';
export * from './stand-in.js';
export * from './test-service.js';
