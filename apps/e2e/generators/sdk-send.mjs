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
  const seconds = 1764500000;
  const headers = new Headers({
    'webhook-id': 'evn_1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': 'v1,iLi+B3+KeDAgBBh5xv8w0QH8hfTGYXrHXI99aRscqY8=',
  });
  await verifyWebhook('{"type":"integration.test"}', headers, 'whsec_AQEB', seconds * 1000);
  return [receipt.accepted, message.subject];
}

if (!globalThis.document) {
  const { argv } = await import('node:process');
  console.log(JSON.stringify(await sent(...argv.slice(2))));
}
