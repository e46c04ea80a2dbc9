export * from './budget.js';
export * from './declaration.js';
export * from './network.js';
export * from './pieces.js';
export * from './sliding-window.js';
export * from './start-pacer.js';
