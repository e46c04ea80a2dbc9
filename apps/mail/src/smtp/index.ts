export { MailListeners, type Ports } from './mail-listeners.js';
export { SmtpModule } from './smtp.module.js';
