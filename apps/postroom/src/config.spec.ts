import { describe, expect, it } from '@jest/globals';
import { recordOf, storingServiceNames } from '@postroom/contracts';
import { ConfigError } from '@postroom/service';
import { blockedPorts } from './blocked-ports.js';
import { publicUrlOf } from './config.js';
import { loadPostroomConfig } from './load-config.js';

const faultsIn = (env: NodeJS.ProcessEnv): string[] => {
  try {
    loadPostroomConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ variable }) => variable);
    throw error;
  }
};

describe('the settings of npm start', () => {
  it('have a default each', () => {
    expect(loadPostroomConfig({})).toEqual({
      ...{
        dataDir: 'var',
        databaseUrl: null,
        databaseUrls: recordOf(storingServiceNames, () => null),
        port: 3000,
        smtpPort: 2525,
      },
      ...{ lmtpPort: null, publicUrl: null, secretsKeys: null, auditKey: null, logLevel: 'warn' },
      ...{ outgoingSmtpUrl: null, otlpEndpoint: null, tracesRatio: 1 },
      ...{ mailServerAllowedCidrs: ['127.0.0.0/8', '::1'] },
    });
  });

  it('are checked for every service, each named once', () => {
    expect(
      faultsIn({
        ...{ PORT: '70000', SMTP_PORT: '-1', DATABASE_URL: 'mysql://x', PUBLIC_URL: 'x' },
        ...{ SECRETS_KEYS: 'x', LOG_LEVEL: 'x', RATE_LIMIT_PER_MINUTE: '0', SMTP_CLIENTS_MAX: '0' },
        OUTGOING_SMTP_URL: 'http://mail.test',
      }).sort(),
    ).toEqual([
      ...['DATABASE_URL', 'LOG_LEVEL', 'OUTGOING_SMTP_URL', 'PORT', 'PUBLIC_URL'],
      'RATE_LIMIT_PER_MINUTE',
      ...['SECRETS_KEYS', 'SMTP_CLIENTS_MAX', 'SMTP_PORT'],
    ]);
  });

  it('name the ports that others are told of: no port at random', () => {
    expect(faultsIn({ PORT: '0', SMTP_PORT: '0' })).toEqual(['PORT', 'SMTP_PORT']);
  });

  it('name no port that browsers and fetch refuse, and say what to do', async () => {
    for (const port of blockedPorts) {
      const refusal: unknown = await fetch(`http://127.0.0.1:${port}`).catch(
        (error: unknown) => error,
      );
      expect([port, refusal]).toMatchObject([port, { cause: { message: 'bad port' } }]);
    }
    expect(faultsIn({ PORT: '5060' })).toEqual(['PORT']);
    expect(() => loadPostroomConfig({ PORT: '5060' })).toThrow(
      'PORT is 5060, which browsers and fetch refuse to connect to; allowed: another port, such as 3000',
    );
    expect(faultsIn({ PORT: '5062', SMTP_PORT: '25' })).toEqual([]);
  });

  it('need none of what the installation makes for its services', () => {
    const made = { CALLER_KEY: '', MAIL_CALLER_KEY: 'x', AUDIT_KEY: '', PUBLIC_URL: '' };
    expect(faultsIn(made)).toEqual([]);
  });
});

describe('the public address', () => {
  it.each([
    [{}, 'http://127.0.0.1:3000'],
    [{ PORT: '80' }, 'http://127.0.0.1'],
    [{ PUBLIC_URL: 'https://postroom.example' }, 'https://postroom.example'],
    [{ PUBLIC_URL: 'https://postroom.example:8443/' }, 'https://postroom.example:8443'],
  ])('of %j is %s', (env, url) => {
    expect(publicUrlOf(loadPostroomConfig(env))).toBe(url);
  });
});
