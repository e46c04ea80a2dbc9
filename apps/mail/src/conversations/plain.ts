/** What of conversations needs no framework, for the inbound thread: see `docs/adr/0035`. */
export { conversationColumns } from './conversation.view.js';
export type { InboundMessage, ReceivingMailbox } from './inbound-message.js';
export { isDuplicateMessage } from './lock-thread.js';
export { receiveMessage } from './receive-message.js';
