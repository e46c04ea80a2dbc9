// Clients that sign in by OAuth from an address alone say where a person has to go, and wait on their input for the
// address that the browser came back to.
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const lines = createInterface(process.stdin);

export const say = (told) => process.stdout.write(`${JSON.stringify(told)}\n`);

export const nextLine = async () => (await once(lines, 'line'))[0];

/** Parameters of the address that the browser came back to. */
export const cameBack = async () => new URL(await nextLine()).searchParams;

const redirectUrl = 'http://127.0.0.1:9/callback';
let [client, tokens, verifier] = [];

/** As TypeScript clients ask for it. */
export const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: 'Official client', redirect_uris: [redirectUrl] },
  clientInformation: () => client,
  saveClientInformation: (given) => (client = given),
  tokens: () => tokens,
  saveTokens: (given) => (tokens = given),
  redirectToAuthorization: ({ href }) => say({ authorize: href }),
  saveCodeVerifier: (given) => (verifier = given),
  codeVerifier: () => verifier,
};

/** An access token that has expired is renewed on the way. */
export const expire = () => (tokens = { ...tokens, access_token: 'pr_access_expired' });
