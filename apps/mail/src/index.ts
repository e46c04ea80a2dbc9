export { MailConfig } from './config.js';
export { createMailApp, mailService, type MailApp } from './mail-app.js';
export { mailSchema } from './migrations/index.js';
export { startOutboxSink, type OutboxSink } from './outgoing/index.js';
export { parseQuery, searchArguments } from './search/index.js';
