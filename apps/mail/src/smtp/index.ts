export { MailDrop } from './mail-drop.js';
export { MailListeners, type Ports } from './mail-listeners.js';
export { Recipients } from './recipients.js';
