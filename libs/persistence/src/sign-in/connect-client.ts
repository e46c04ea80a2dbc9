import { Client, type ClientConfig } from 'pg';
import { isPasswordRefused, signInUrls } from './sign-in-urls.js';

/**
 * Connects a client of its own, with whichever password of the URL the server takes.
 * @throws what the last attempt has failed with
 */
export async function connectClient(url: string, config: ClientConfig = {}): Promise<Client> {
  let refusal: unknown;
  for (const connectionString of signInUrls(url)) {
    const client = new Client({ connectionTimeoutMillis: 5_000, ...config, connectionString });
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (!isPasswordRefused(error)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}
