export { conversationResult } from './conversation-result.js';
export {
  ordinaryResult,
  searchResult,
  untrustedResult,
  untrustedStructure,
  withTimes,
  type Presented,
} from './presented.js';
export { visibleLine, visibleValue } from './visible-text.js';
