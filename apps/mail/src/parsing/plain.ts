/** What of parsing is done outside its own threads, for the intake's: see `docs/adr/0035`. */
export {
  MessageParser,
  type CostedMessage,
  type MessageParserOptions,
  type ReadMessage,
} from './message-parser.js';
