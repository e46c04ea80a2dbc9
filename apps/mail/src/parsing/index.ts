export { attachmentType } from './attachment-type.js';
export * from './plain.js';
export type { CostedMessage, MessageParserOptions, ReadMessage } from './message-parser.js';
export { readMessage } from './read-message.js';
export { decodedPart } from './decoded-part.js';
export type { PartSource } from './part-source.js';
export { sanitiseHtml } from './sanitise-html.js';
export { textOfHtml } from './text-of-html.js';
export type { Address, ParsedAttachment, ParsedMessage, Priority } from './parsed-message.js';
