export { contentFingerprint } from './content-fingerprint.js';
export { MessageParser, type MessageParserOptions } from './message-parser.js';
export type { Address, ParsedAttachment, ParsedMessage, Priority } from './parsed-message.js';
