export { conversationResult } from './conversation-result.js';
export {
  ordinaryResult,
  searchResult,
  untrustedResult,
  untrustedStructure,
  type Presented,
} from './presented.js';
export { visibleLine, visibleValue } from './visible-text.js';
