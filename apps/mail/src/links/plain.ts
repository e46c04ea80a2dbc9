/** What of links needs no framework, for the thread of large reads: see `docs/adr/0035`. */
export { linksOfConversation } from './links-of-conversation.js';
