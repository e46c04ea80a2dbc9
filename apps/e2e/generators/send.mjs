// @ts-check
// The types of openapi-typescript: base, key, mailbox, to, subject. It sends a message and reads it back.
import createClient from 'openapi-fetch';

const [, , baseUrl = '', key = '', mailbox = '', to = '', subject = ''] = process.argv;
/** @type {import('openapi-fetch').Client<import('./schema.js').paths>} */
const client = createClient({ baseUrl, headers: { 'X-Api-Key': key } });
const sent = await client.POST('/v1/send', {
  params: { header: { 'Idempotency-Key': subject } },
  body: { mailbox, to, subject, body: 'Hello' },
});
if (!sent.data) throw new Error(sent.error.error);
const read = await client.GET('/v1/conversations/{id}', {
  params: { path: { id: sent.data.threadId }, query: { mailbox } },
});
console.log(JSON.stringify([sent.data.accepted, read.data?.conversation.messages[0]?.subject]));
