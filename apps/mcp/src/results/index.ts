export { conversationResult } from './conversation-result.js';
export { ordinaryResult, untrustedResult, type Presented } from './presented.js';
export { searchResult } from './search-result.js';
export { visibleValue } from './visible-value.js';
