export * from './json.js';
export * from './message.js';
export * from './replies.js';
export * from './rpc-error.js';
