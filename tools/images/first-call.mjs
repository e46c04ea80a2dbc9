import { setTimeout as sleep } from 'node:timers/promises';

/** Asks until the answer has the status, or the time is up. @throws Error with the last answer */
export async function untilStatus(url, status, withinMs) {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await fetch(url).then(
      async (response) => ({ status: response.status, text: await response.text() }),
      (error) => ({ status: 0, text: String(error.cause ?? error) }),
    );
    if (answer.status === status) return answer.text;
    if (performance.now() > deadline) throw new Error(`${url}: ${answer.status} ${answer.text}`);
    await sleep(200);
  }
}

async function ask(url, init) {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return { json: text === '' ? null : JSON.parse(text), response };
}

const post = (body, headers = {}) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/**
 * The first administrator's steps, from the one-time link of `workspace create` to a call of the public API.
 * @returns how many conversations the key sees: none yet
 */
export async function firstCall(publicUrl, invitation) {
  const settings = `${publicUrl}/settings/api`;
  const accept = post({ token: invitation, password: 'at least ten characters' });
  const { response } = await ask(`${settings}/invitations/accept`, accept);
  const cookie = response.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .join('; ');
  const address = 'support@images.test';
  await ask(`${settings}/mailboxes`, post({ address }, { cookie }));
  const wanted = {
    name: 'First key',
    scopes: ['read:conversations'],
    mailboxes: [{ address, access: 'read' }],
  };
  const { json } = await ask(`${settings}/keys`, post(wanted, { cookie }));
  const headers = { 'X-Api-Key': json.secret };
  const list = `${publicUrl}/public/v1/conversations?mailbox=${address}`;
  return (await ask(list, { headers })).json;
}
