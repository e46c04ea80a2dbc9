export * from './send-switch.handlers.js';
