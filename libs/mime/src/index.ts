export { collectBytes } from './collect-bytes.js';
export { composeMessage } from './composing/compose-message.js';
export { WrongFileSize, type FileStore } from './composing/file-source.js';
export type {
  Composed,
  ComposedFile,
  Composition,
  DkimKey,
  Party,
  Signature,
} from './composing/composition.js';
export { attachmentType, compoundFile, isCompoundFormat } from './parsing/attachment-type.js';
export { beginningOf, decodedPiece, type DecodedUpTo } from './parsing/decoded-part.js';
export { fallbackOf, MessageParser, type ReadMessage } from './parsing/message-parser.js';
export type { PartSource } from './parsing/part-source.js';
export type {
  Address,
  ParsedAttachment,
  ParsedMessage,
  Priority,
} from './parsing/parsed-message.js';
export type { Suspicion } from './parsing/parsed-message.js';
export type { GmailLabels } from './parsing/gmail-labels.js';
export { remoteImageOf } from './parsing/remote-image.js';
export { sentAtOf } from './parsing/sent-at.js';
export { sanitiseHtml } from './parsing/sanitise-html.js';
export { shownHeaders } from './parsing/shown-headers.js';
export { storableText } from './parsing/storable-text.js';
export { textOfHtml } from './parsing/text-of-html.js';
