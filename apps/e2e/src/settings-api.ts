import { type Answer, send } from './http.js';
import type { Person, Product } from './product.js';

type Headers = Readonly<Record<string, string>>;

/** A client of the settings API, signed in as a member or not at all. */
export class SettingsApi {
  constructor(
    private readonly product: Product,
    /** The session cookie; empty when not signed in. */
    readonly cookie: string = '',
  ) {}

  /** Signs in; throws when that is refused. */
  static async signIn(product: Product, { email, password }: Person): Promise<SettingsApi> {
    const answer = await new SettingsApi(product).post('/session', { email, password });
    if (answer.status !== 200) throw new Error(`No sign-in: ${answer.status} ${answer.text}`);
    return new SettingsApi(product, cookieOf(answer));
  }

  get(path: string, headers: Headers = {}): Promise<Answer> {
    return this.request('GET', path, undefined, headers);
  }

  post(path: string, body: unknown, headers: Headers = {}): Promise<Answer> {
    return this.request('POST', path, JSON.stringify(body), headers);
  }

  patch(path: string, body: unknown): Promise<Answer> {
    return this.request('PATCH', path, JSON.stringify(body));
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.request('PUT', path, JSON.stringify(body));
  }

  delete(path: string): Promise<Answer> {
    return this.request('DELETE', path);
  }

  request(
    method: string,
    path: string,
    body?: string | Buffer,
    headers: Headers = {},
  ): Promise<Answer> {
    return send(this.product.settingsUrl + path, {
      method,
      body,
      headers: {
        ...(this.cookie !== '' && { Cookie: this.cookie }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
    });
  }
}

/** `name=value` of the cookie that an answer sets. */
export const cookieOf = (answer: Answer): string =>
  answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
