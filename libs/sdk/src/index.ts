export { type WaitOptions, waitForApproval } from './approval.js';
export { type Client, type ClientOptions, createClient } from './client.js';
export { type ClientCode, type FieldFault, PostroomError } from './errors.js';
export type * from './generated.js';
// Named one by one: `Done` is a small answer of the API, too.
export type { BlobFile, CallOptions, Done, ResponseFacts, Waiting, Written } from './types.js';
export { responseOf } from './request.js';
export { type ReceivedHeaders, verifyWebhook } from './verify.js';
