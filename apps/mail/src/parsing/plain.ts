/** The front of the parsing threads, without what runs in them: see `docs/adr/0035`. */
export { MessageParser } from './message-parser.js';
