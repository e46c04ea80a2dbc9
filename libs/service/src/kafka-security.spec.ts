import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError, loadConfig } from './config.js';
import { kafkaSecurity, KafkaSecurityConfig, type ReadKafkaSecurity } from './kafka-security.js';

describe('how Kafka is spoken to', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-kafka-security-'));
    for (const name of ['ca', 'cert', 'key']) await writeFile(join(folder, name), `the ${name}`);
  });
  afterAll(() => rm(folder, { recursive: true }));

  const read = async (env: NodeJS.ProcessEnv): Promise<ReadKafkaSecurity> =>
    kafkaSecurity(loadConfig(KafkaSecurityConfig, env), 'postroom-mail');
  const faultsOf = async (env: NodeJS.ProcessEnv): Promise<unknown> => {
    const error: unknown = await read(env).catch((cause: unknown) => cause);
    return error instanceof ConfigError ? error.faults.map(({ variable }) => variable) : error;
  };

  it('is plain TCP without a sign-in unless somebody says otherwise', async () => {
    expect(await read({})).toEqual({ tls: null, sasl: null });
  });

  it('is TLS with the authorities of the system, or with those of a file', async () => {
    expect(await read({ KAFKA_TLS: 'on' })).toEqual({ tls: {}, sasl: null });
    const KAFKA_TLS_CA_FILE = join(folder, 'ca');
    expect(await read({ KAFKA_TLS: 'on', KAFKA_TLS_CA_FILE })).toMatchObject({
      tls: { ca: 'the ca' },
    });
  });

  it('shows a certificate where it has one', async () => {
    const own = {
      KAFKA_TLS_CERT_FILE: join(folder, 'cert'),
      KAFKA_TLS_KEY_FILE: join(folder, 'key'),
    };
    expect(await read({ KAFKA_TLS: 'on', ...own })).toMatchObject({
      tls: { cert: 'the cert', key: 'the key' },
    });
    const { KAFKA_TLS_KEY_FILE: _, ...alone } = own;
    expect(await faultsOf({ KAFKA_TLS: 'on', ...alone })).toEqual(['KAFKA_TLS_CERT_FILE']);
  });

  it('signs in as the user of the app, or as the one it is told', async () => {
    const env = { KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_PASSWORD: 'p' };
    const sasl = { mechanism: 'scram-sha-512', username: 'postroom-mail', password: 'p' };
    expect(await read(env)).toEqual({ tls: null, sasl });
    expect(await read({ ...env, KAFKA_SASL_USERNAME: 'admin' })).toMatchObject({
      sasl: { username: 'admin' },
    });
  });

  it.each([
    ['a password in the clear', { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_PASSWORD: 'p' }],
    ['no mechanism that there is', { KAFKA_SASL_MECHANISM: 'gssapi' }],
  ])('refuses %s', async (_what, env) => {
    expect(await faultsOf(env)).toEqual(['KAFKA_SASL_MECHANISM']);
  });

  it('names every setting at once that is missing or cannot be read, and shows no password', async () => {
    const env = {
      KAFKA_TLS_CA_FILE: join(folder, 'nowhere'),
      KAFKA_SASL_MECHANISM: 'scram-sha-256',
    };
    expect(await faultsOf(env)).toEqual(['KAFKA_SASL_PASSWORD', 'KAFKA_TLS', 'KAFKA_TLS_CA_FILE']);
    const wrong = { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_PASSWORD: 'canary' };
    await expect(read(wrong)).rejects.toThrow(/^(?!.*canary)/s);
  });
});
