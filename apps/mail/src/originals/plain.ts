/** What of originals needs no framework, for the composing thread: see `docs/adr/0035`. */
export { Stage, type Staged } from './stage.js';
