export * from './invoke.handlers.js';
export * from './invoker.js';
export { ToolAudit } from './tool-audit.js';
