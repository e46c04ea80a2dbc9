import { Client, type ClientConfig } from 'pg';
import { isPasswordRefused, signInUrls } from './sign-in-urls.js';

/**
 * Connects a client of its own, with whichever password of the URL the server takes.
 * @throws what the last attempt has failed with
 */
export async function connectClient(url: string, config: ClientConfig = {}): Promise<Client> {
  const urls = signInUrls(url);
  for (const [i, connectionString] of urls.entries()) {
    const client = new Client({ ...config, connectionString });
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (!isPasswordRefused(error) || i === urls.length - 1) throw error;
    }
  }
  throw new Error('a URL has a password, if only an empty one');
}
