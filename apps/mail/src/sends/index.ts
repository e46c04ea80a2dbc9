export { answeredThread } from './answered-thread.js';
export { Attempts } from './attempts.js';
export { Confirmation } from './confirmation.js';
export { duplicateProblem } from './refusals.js';
export { fingerprintOf, type SendRequest } from './send-request.js';
export { composedFile, Preparation } from './preparation.js';
export { ReceiptCache, Sender } from './sender.js';
export { SendsHandlers, UnknownSendsHandlers } from './sends.handlers.js';
export { UnknownSends, watchUnknownSends } from './unknown-sends.js';
