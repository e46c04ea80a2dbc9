import type { Contract } from './contract.js';
import { type Answer, send } from './http.js';
import type { Product } from './product.js';

type Values = Readonly<Record<string, string | number>>;
type Headers = Readonly<Record<string, string>>;

/** A query string of values. */
export const query = (values: Values): string =>
  Object.entries(values)
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .join('&');

/** The public API with one key; every answer is validated against the published document. */
export class PublicApi {
  constructor(
    private readonly product: Product,
    readonly key: string,
    private readonly contract: Pick<Contract, 'check'>,
  ) {}

  get(path: string, values: Values = {}, headers: Headers = {}): Promise<Answer> {
    const search = query(values);
    return this.request('GET', search === '' ? path : `${path}?${search}`, undefined, headers);
  }

  /** `idempotencyKey` is left out of the request when it is undefined. */
  post(path: string, body: unknown, idempotencyKey?: string): Promise<Answer> {
    const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    return this.request('POST', path, JSON.stringify(body), headers);
  }

  /** Any request; `body` is sent unchanged, as JSON unless `headers` declare another type. */
  async request(
    method: string,
    path: string,
    body?: string | Buffer,
    headers: Headers = {},
  ): Promise<Answer> {
    const answer = await send(this.product.baseUrl + path, {
      method,
      body,
      headers: {
        'X-Api-Key': this.key,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
    });
    this.contract.check(method, path.replace(/\?.*$/s, ''), answer);
    return answer;
  }
}
