import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repetitions } from '@postroom/testing/repetitions';
import { exchange, rawRequest } from './raw-http.js';
import { assertRefusal } from './refusal.js';
import { query } from './public-api.js';
import { type OwnKey, Workplace } from './workplace.js';

/** Requests that are invalid before their body; their answers have the public form too. */
describe('a bad request', () => {
  let place: Workplace;
  let mailbox: string;
  let api: OwnKey;

  beforeAll(async () => {
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox);
  });

  afterEach(async () => {
    expect((await api.get('/v1/conversations', { mailbox })).status).toBe(200);
  });

  const own = (): string[] => ['Host: localhost', `X-Api-Key: ${api.key}`, 'Connection: close'];
  const ask = async (
    startLine: string,
    headers: readonly string[] = own(),
    body = '',
  ): ReturnType<typeof exchange> => exchange(place.product, rawRequest(startLine, headers, body));
  const listLine = (): string => `GET /public/v1/conversations?${query({ mailbox })} HTTP/1.1`;

  describe('by its query', () => {
    it('with any parameters is a 4xx or a success, never an error of ours', async () => {
      const value = fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed());
      const parameters = fc.record({ mailbox: value, limit: value, pageToken: value });
      await fc.assert(
        fc.asyncProperty(parameters, fc.boolean(), async (given, known) => {
          const answer = await api.get('/v1/conversations', {
            ...given,
            ...(known && { mailbox }),
          });
          assertRefusal(answer, [400, 403]);
        }),
        { numRuns: repetitions(150, 50) },
      );
    });
  });

  describe('by its path', () => {
    it.each([
      '/v1/conversations/%zz',
      '/v1/conversations/%',
      '/v1/conversations/%ff',
      '/v1/conversations/%c0%af',
      '/v1/conversations/a%00b',
      '/v1/conversations/%00',
      '/v1/conversations/..%2f..%2fsettings',
      '/v1/conversations/%2e%2e',
      '/v1/conversations/%0d%0aX-Injected:%20yes',
      '/v1/conversations/__proto__',
      '/v1/conversations/constructor',
      "/v1/conversations/'%20OR%201=1--",
      '/v1/conversations/;',
      '/%zz',
    ])('out of form is refused or not found: %s', async (path) => {
      const answer = await api.get(path, { mailbox });
      assertRefusal(answer, [404]);
      expect(Object.keys(answer.headers)).not.toContain('x-injected');
      expect(answer.headers).toHaveProperty('x-ratelimit-remaining');
      const nobody = (
        await ask(`GET /public${path} HTTP/1.1`, ['Host: x', 'Connection: close'])
      )[0];
      assertRefusal(nobody, [401]);
      expect(nobody?.headers).not.toHaveProperty('x-ratelimit-remaining');
    });

    it.each([200, 2_000, 10_000])(
      'with an id of %s characters is refused or not found',
      async (n) => {
        const path = `/v1/conversations/cnv_${'A'.repeat(n)}`;
        assertRefusal(await api.get(path, { mailbox }), [400, 404, 414]);
      },
    );

    it('of 100 000 characters is refused', async () => {
      const [answer] = await ask(`GET /public/v1/${'a'.repeat(100_000)} HTTP/1.1`);
      assertRefusal(answer, [400, 414, 431]);
    });

    it.each(['GET /public/v1/a b HTTP/1.1', 'GET /public/\u0001 HTTP/1.1', 'GET public HTTP/1.1'])(
      'that is no address is refused: %j',
      async (startLine) => {
        const [answer] = await ask(startLine);
        assertRefusal(answer, [400, 404]);
      },
    );
  });

  describe('by its headers', () => {
    it('with two Idempotency-Keys is refused, and writes nothing', async () => {
      const body = JSON.stringify({ mailbox, text: 'x' });
      const length = `Content-Length: ${body.length}`;
      const keys = ['Idempotency-Key: first-of-two', 'Idempotency-Key: second-of-two'];
      const line = 'POST /public/v1/conversations/x/comment HTTP/1.1';
      const [answer] = await ask(line, [...own(), length, ...keys], body);
      assertRefusal(answer, [400]);
      expect(answer?.text).toContain('Idempotency-Key');
    });

    it('of 100 000 characters is refused', async () => {
      const [answer] = await ask(listLine(), [...own(), `X-Long: ${'a'.repeat(100_000)}`]);
      assertRefusal(answer, [400, 431]);
    });

    it('of 5 000 lines is refused', async () => {
      const lines = Array.from({ length: 5_000 }, (_, i) => `X-${i}: a`);
      const [answer] = await ask(listLine(), [...own(), ...lines]);
      assertRefusal(answer, [400, 431]);
    });

    it.each([
      ['a line without a colon', 'NoColonHere'],
      ['a space before the colon', 'X-Space : a'],
      ['a name with a space', 'X Space: a'],
      ['an empty name', ': a'],
      ['a NUL in a value', 'X-Nul: a\u0000b'],
      ['a bare carriage return', 'X-Cr: a\rb: c'],
      ['two lengths', 'Content-Length: 1\r\nContent-Length: 2'],
      ['a negative length', 'Content-Length: -1'],
      ['a length that is no number', 'Content-Length: abc'],
      ['a length with a sign', 'Content-Length: +1'],
      ['an immense length', 'Content-Length: 99999999999999999999999'],
      ['an unknown transfer coding', 'Transfer-Encoding: nonsense'],
      ['chunked that is not last', 'Transfer-Encoding: chunked, gzip'],
      ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked'],
    ])('%s is refused', async (_what, line) => {
      const post = `POST /public/v1/conversations/cnv_x/archive HTTP/1.1`;
      const [answer] = await ask(post, [...own(), line], '0\r\n\r\n');
      assertRefusal(answer, [400]);
    });

    it('with an upgrade that is not offered is answered as if it were not there', async () => {
      const upgrade = ['Host: localhost', `X-Api-Key: ${api.key}`, 'Connection: Upgrade, close'];
      const [answer] = await ask(listLine(), [...upgrade, 'Upgrade: websocket']);
      expect([200, 400, 404]).toContain(answer?.status);
    });

    it('with the key given twice is refused', async () => {
      const [answer] = await ask(listLine(), [...own(), `X-Api-Key: ${api.key}`]);
      assertRefusal(answer, [400, 401]);
    });
  });

  describe('by its method', () => {
    it.each(['PURGE', 'PROPFIND', 'TRACE', 'LINK', 'SEARCH', 'QUERY'])(
      'that the product does not know is refused: %s',
      async (method) => {
        const [answer] = await ask(`${method} /public/v1/conversations HTTP/1.1`);
        assertRefusal(answer, [400, 404, 405]);
      },
    );

    it.each(['FOO', 'get', 'G\u00c9T', 'GET\t', '', 'M-SEARCH-NOT'])(
      'that HTTP does not know is refused: %j',
      async (method) => {
        const [answer] = await ask(`${method} /public/v1/conversations HTTP/1.1`);
        assertRefusal(answer, [400, 404, 405]);
      },
    );

    it('CONNECT is refused', async () => {
      const answers = await exchange(
        place.product,
        rawRequest('CONNECT internal.example:22 HTTP/1.1', own()),
      );
      for (const answer of answers) assertRefusal(answer, [400, 404, 405]);
    });
  });

  describe('by its protocol', () => {
    it.each([
      ['HTTP/2 without agreement', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['an unknown version', 'GET /public/v1/conversations HTTP/9.9\r\nHost: x\r\n\r\n'],
      ['TLS', Buffer.from('1603010200010001fc0303', 'hex')],
      ['another protocol', 'EHLO example.com\r\n'],
      ['noise', Buffer.from(Array.from({ length: 500 }, (_, i) => (i * 89) % 256))],
    ])('%s is refused', async (_what, bytes) => {
      const [answer] = await exchange(place.product, bytes);
      assertRefusal(answer, [400, 505]);
    });

    it('smuggles no second request in a body', async () => {
      const inner = rawRequest(listLine(), ['Host: localhost', `X-Api-Key: ${api.key}`]).toString();
      const answers = await ask(
        'POST /public/v1/conversations/cnv_x/archive HTTP/1.1',
        [...own(), `Content-Length: ${inner.length}`],
        inner,
      );
      expect(answers).toHaveLength(1);
      assertRefusal(answers[0], [400]);
    });
  });
});
