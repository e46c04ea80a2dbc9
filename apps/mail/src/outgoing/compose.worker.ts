/** What a composing thread runs. */
export { composeMessage as default } from './compose-message.js';
