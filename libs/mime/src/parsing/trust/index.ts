export { showingOf } from './hidden-style.js';
export type { Suspicion } from './suspicion.js';
export { suspicionsOf } from './suspicions-of.js';
