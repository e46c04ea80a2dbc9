export { showingOf } from './hidden-style.js';
export { suspicions, type Suspicion } from './suspicion.js';
export { suspicionsOf } from './suspicions-of.js';
