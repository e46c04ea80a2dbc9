export { SmtpListener } from './smtp-listener.js';
export { SmtpModule } from './smtp.module.js';
