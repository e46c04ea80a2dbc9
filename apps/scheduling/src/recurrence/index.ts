export { merged, mergedRule } from './given-rule.js';
export * from './plain.js';
