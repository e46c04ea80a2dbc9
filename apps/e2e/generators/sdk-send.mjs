/* global File, Headers */
// @postroom/sdk, from its address, where no Node is: sends a file, reads the message back, and verifies a delivery.
export async function sent(sdk, baseUrl, apiKey, mailbox, to, subject) {
  const { createClient, verifyWebhook } = await import(sdk);
  const postroom = createClient({ baseUrl, apiKey });
  const file = new File(['Ten.'], 'prices.txt', { type: 'text/plain' });
  const attachments = [{ content: file }];
  const receipt = await postroom.messages.send({
    mailbox,
    to,
    subject,
    body: 'Hello',
    attachments,
  });
  const read = await postroom.conversations.get({ id: receipt.threadId, mailbox });
  const [message] = read.conversation.messages;
  if (message.attachments[0].filename !== file.name) throw new Error('The file was lost.');
  const hex = '68660ff905fd968e59fb316bbf6c5499f233e3f6603199f5059a5ee3e094f326';
  const headers = new Headers({ 'X-Svc-Signature': `sha256=${hex}` });
  await verifyWebhook('{"type":"integration.test"}', headers, 'whsec_AQEB');
  return [receipt.accepted, message.subject];
}

if (!globalThis.document) {
  const { argv } = await import('node:process');
  console.log(JSON.stringify(await sent(...argv.slice(2))));
}
