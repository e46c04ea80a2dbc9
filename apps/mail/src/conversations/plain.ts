/** What of conversations needs no framework, for the intake's thread: see `docs/adr/0035`. */
export { conversationColumns } from './conversation.view.js';
