export { conversationResult } from './conversation-result.js';
export { untrustedStructure } from './fence.js';
export { ordinaryResult, untrustedResult, type Presented } from './presented.js';
export { searchResult } from './search-result.js';
export { visibleLine } from './visible-text.js';
export { visibleValue } from './visible-value.js';
