/** What the composing thread needs of the room, without a framework: see `docs/adr/0035`. */
export { Stage, type Staged } from './stage.js';
