export {
  CalendarSplitter,
  ComponentSplitter,
  CsvSplitter,
  type EntrySplitter,
  type SplitEntry,
} from './entry-splitters.js';
export { MboxSplitter, NoMbox, type SplitMessage } from './mbox-splitter.js';
