export { CalendarSplitter } from './calendar-splitter.js';
export { ComponentSplitter } from './component-splitter.js';
export { CsvSplitter, delimiterOf } from './csv-splitter.js';
export type { EntrySplitter, SplitEntry } from './entry-bytes.js';
export { html, Html } from './html.js';
export { MboxSplitter, NoMbox, type SplitMessage } from './mbox-splitter.js';
export { SeveralMessages, SingleMessage } from './single-message.js';
export { decodeText, TextStream } from './text-stream.js';
