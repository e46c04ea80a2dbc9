/** What the composing thread keeps messages with, without what the service asks for: see `docs/adr/0035`. */
export { Stage, type Staged } from './stage.js';
