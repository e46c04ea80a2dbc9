export { assembleVolumes } from './assemble-volumes.js';
export * from './counts.js';
export * from './operations.js';
export * from './volumes.js';
