export * from './session.entity.js';
export * from './session.handlers.js';
export * from './sessions.handlers.js';
