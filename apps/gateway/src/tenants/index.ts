export * from './open-workspace.js';
export * from './tenant.entity.js';
