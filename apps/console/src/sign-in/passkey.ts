import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  type AuthenticationResponseJSON,
} from '@simplewebauthn/browser';
import { passkeyRefusal } from '../api/problem.js';

/** The script of the server's own pages of sign-in, which work without it: it adds a button for a passkey. */
const mount = '/settings/api';
const form = document.querySelector<HTMLFormElement>('form[method="post"]');

if (form && browserSupportsWebAuthn()) {
  const isSecondStep = location.pathname === '/second-factor';
  addButton(form, isSecondStep ? secondStep : signIn);
  if (!isSecondStep) void offerAmongAddresses();
}

function addButton(after: HTMLFormElement, use: () => Promise<void>): void {
  const paragraph = document.createElement('p');
  paragraph.className = 'more';
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'quiet', textContent: 'Use a passkey' });
  button.addEventListener('click', () => {
    button.disabled = true;
    use()
      .catch(tell)
      .finally(() => {
        button.disabled = false;
      });
  });
  paragraph.append(button);
  after.after(paragraph);
}

/** Conditional mediation: the browser lists passkeys below the field of the address. */
async function offerAmongAddresses(): Promise<void> {
  if (!(await browserSupportsWebAuthnAutofill())) return;
  try {
    await signIn(true);
  } catch {
    // The person signs in another way, or by the button, which says what is wrong.
  }
}

async function signIn(useBrowserAutofill = false): Promise<void> {
  const { options } = await ask('GET', '/session/passkey');
  const credential = await startAuthentication({ optionsJSON: options, useBrowserAutofill });
  if (isSent) return;
  isSent = true;
  await ask('POST', '/session/passkey', { credential }).catch((error: unknown) => {
    isSent = false;
    throw error;
  });
  goOn();
}

/** The field of the address and the button may both be answered: the second session would end the first one's page. */
let isSent = false;

async function secondStep(): Promise<void> {
  const { options } = await ask('POST', '/session/passkey-options');
  const passkey = await startAuthentication({ optionsJSON: options });
  await ask('POST', '/session/second-factor', { passkey });
  goOn();
}

/** The form leads to the place that the server has found to be its own. */
function goOn(): void {
  location.assign(new URL(form?.action ?? '/', location.href).searchParams.get('next') ?? '/');
}

interface PasskeyChallenge {
  readonly options: Parameters<typeof startAuthentication>[0]['optionsJSON'];
  readonly message?: string;
}

interface Proof {
  readonly credential?: AuthenticationResponseJSON;
  readonly passkey?: AuthenticationResponseJSON;
}

async function ask(method: 'GET' | 'POST', path: string, body?: Proof): Promise<PasskeyChallenge> {
  const response = await fetch(`${mount}${path}`, {
    ...{ method, body: body ? JSON.stringify(body) : null },
    headers: body ? { 'content-type': 'application/json' } : {},
  });
  const answer = (await response.json().catch(() => ({}))) as PasskeyChallenge;
  if (!response.ok) throw new Error(answer.message ?? 'The passkey was refused.');
  return answer;
}

function tell(error: unknown): void {
  const shown = document.getElementById('fault') ?? document.createElement('p');
  Object.assign(shown, { id: 'fault', className: 'bad', textContent: passkeyRefusal(error) });
  shown.setAttribute('role', 'alert');
  if (!shown.isConnected) document.querySelector('h1')?.after(shown);
}
