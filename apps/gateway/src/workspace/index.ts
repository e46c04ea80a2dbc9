export * from './workspace.handlers.js';
