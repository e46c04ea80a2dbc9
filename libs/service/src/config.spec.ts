import { describe, expect, it } from '@jest/globals';
import { Matches } from 'class-validator';
import fc from 'fast-check';
import { ConfigError, loadConfig, settingsTable } from './config.js';
import { setting } from './setting.js';

const keyOf = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const ring = `${keyOf('k2', 2)},${keyOf('k1', 1)}`;

class BaseConfig {
  @setting.oneOf('LOG_LEVEL', 'How much is logged.', ['info', 'debug'], { default: 'info' })
  logLevel!: 'info' | 'debug';
}

class ExampleConfig extends BaseConfig {
  @setting.port('SMTP_PORT', 'Where mail is received.', { default: 2525 })
  smtpPort!: number;

  @setting.text('NAME', 'The name shown.', { nullable: true })
  name!: string | null;

  @setting.integer('RATE', 'Requests a minute.', { min: 1, max: 1000, default: 120 })
  rate!: number;

  @setting.flag('STRICT', 'Refuse more.', { default: false })
  strict!: boolean;

  @setting.url('DATABASE_URL', 'Where data is kept.', { protocols: ['postgres:', 'postgresql:'] })
  databaseUrl!: string;

  @setting.duration('IDLE', 'When a session ends.', {
    min: 1000,
    max: 604_800_000,
    default: 43_200_000,
  })
  idleMs!: number;

  @setting.durations('DELAYS', 'Between attempts.', { min: 0, max: 3_600_000, default: [0, 5000] })
  delaysMs!: readonly number[];

  @setting.list('HOSTS', 'Allowed hosts.', { default: [] })
  hosts!: readonly string[];

  @setting.secrets('AUDIT_KEY', 'Seals the audit chain.')
  auditKey!: string;

  @setting.keyring('SECRETS_KEYS', 'Seals secrets at rest.')
  secretsKeys!: string;
}

const complete = {
  DATABASE_URL: 'postgres://postroom:hunter2@localhost/postroom',
  AUDIT_KEY: 'sixteen characters',
  SECRETS_KEYS: ring,
};

const faultsOf = (env: NodeJS.ProcessEnv): string[] => {
  try {
    loadConfig(ExampleConfig, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ variable }) => variable);
    throw error;
  }
  return [];
};

describe('the configuration', () => {
  it('takes defaults for what is unset, null where that is allowed, and parents’ settings', () => {
    expect(loadConfig(ExampleConfig, complete)).toEqual({
      logLevel: 'info',
      smtpPort: 2525,
      name: null,
      rate: 120,
      strict: false,
      databaseUrl: complete.DATABASE_URL,
      idleMs: 43_200_000,
      delaysMs: [0, 5000],
      hosts: [],
      auditKey: complete.AUDIT_KEY,
      secretsKeys: ring,
    });
  });

  it('reads every kind from its text', () => {
    const env = {
      ...complete,
      LOG_LEVEL: 'debug',
      SMTP_PORT: '0',
      NAME: ' Acme ',
      RATE: '1000',
      STRICT: 'TRUE',
      IDLE: '30m',
      DELAYS: '0, 250ms,5 s,1h',
      HOSTS: 'a.test, b.test',
    };
    expect(loadConfig(ExampleConfig, env)).toMatchObject({
      logLevel: 'debug',
      smtpPort: 0,
      name: 'Acme',
      rate: 1000,
      strict: true,
      idleMs: 1_800_000,
      delaysMs: [0, 250, 5000, 3_600_000],
      hosts: ['a.test', 'b.test'],
    });
  });

  it('treats an empty or blank variable as unset', () => {
    const config = loadConfig(ExampleConfig, { ...complete, SMTP_PORT: '', NAME: '  ', HOSTS: '' });
    expect(config).toMatchObject({ smtpPort: 2525, name: null, hosts: [] });
    expect(faultsOf({ ...complete, AUDIT_KEY: '' })).toEqual(['AUDIT_KEY']);
  });

  it('lists every fault at once, with the variable, what was found and what is allowed', () => {
    const load = () =>
      loadConfig(ExampleConfig, {
        ...complete,
        SMTP_PORT: '65536',
        STRICT: 'maybe',
        AUDIT_KEY: '',
      });
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(
      [
        'The configuration is wrong:',
        '  SMTP_PORT is "65536"; allowed: a port from 1 to 65535, or 0 for any free one',
        '  STRICT is "maybe"; allowed: true or false (or 1 or 0)',
        '  AUDIT_KEY is not set; allowed: secrets of at least 16 characters, separated by commas, the one in use first',
      ].join('\n'),
    );
  });

  it('never shows the text of a secret, a keyring or a URL', () => {
    const env = {
      DATABASE_URL: 'mysql://u:hunter2@h/',
      AUDIT_KEY: 'hunter2',
      SECRETS_KEYS: 'hunter2',
    };
    const load = () => loadConfig(ExampleConfig, env);
    expect(load).toThrow('SECRETS_KEYS is malformed (its value is not shown); allowed: keys as');
    expect(load).not.toThrow('hunter2');
  });

  it.each([
    ['SMTP_PORT', ['-1', '80.5', '0x50', '1e3', 'smtp', '99999999999999999999']],
    ['RATE', ['0', '1001', 'many']],
    ['IDLE', ['999', '8d', '5 weeks', '-5s', '1.5h']],
    ['DELAYS', ['0,', '5s,2h', 'a,b']],
    ['HOSTS', ['a,,b', ',']],
    ['LOG_LEVEL', ['loud', 'INFO']],
    ['DATABASE_URL', ['localhost:5432', 'http://localhost/', 'postgres']],
    ['AUDIT_KEY', ['short', `${complete.AUDIT_KEY},short`, `${complete.AUDIT_KEY},`]],
    ['SECRETS_KEYS', [`${ring},`, `${ring},${keyOf('k1', 3)}`, ring.replace(':', '='), 'k1:AAAA']],
  ])('refuses a wrong %s', (variable, texts) => {
    for (const text of texts)
      expect(faultsOf({ ...complete, [variable]: text })).toEqual([variable]);
  });

  it('reads any environment into a whole configuration or a list of its own variables', () => {
    const variables = ['LOG_LEVEL', 'SMTP_PORT', 'RATE', 'IDLE', 'DELAYS', 'HOSTS', 'SECRETS_KEYS'];
    const envs = fc.dictionary(fc.constantFrom(...variables), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(envs, (env) => {
        for (const fault of faultsOf({ ...complete, ...env })) expect(variables).toContain(fault);
      }),
    );
  });

  it('reports further rules of class-validator under the same variable', () => {
    class Stricter extends ExampleConfig {
      @Matches(/^[a-z]+$/, { message: 'small letters' })
      override name!: string | null;
    }
    expect(() => loadConfig(Stricter, { ...complete, NAME: 'Acme' })).toThrow(
      '\n  NAME is "Acme"; allowed: small letters',
    );
  });

  describe('of networks', () => {
    class Trusting {
      @setting.networks('PROXIES', 'Proxies that are trusted.', { default: [] })
      proxies!: readonly string[];
    }

    it.each([
      ['10.0.0.0/8, 127.0.0.1', ['10.0.0.0/8', '127.0.0.1']],
      ['fd00::/8,::1,0.0.0.0/0', ['fd00::/8', '::1', '0.0.0.0/0']],
      ['', []],
    ])('takes %s', (text, proxies) => {
      expect(loadConfig(Trusting, { PROXIES: text })).toEqual({ proxies });
    });

    it.each(['proxy.test', '10.0.0.0/33', '10.0.0/8', '::1/129', '10.0.0.0/', '10.0.0.0/8/8', ','])(
      'refuses %s',
      (text) => {
        expect(() => loadConfig(Trusting, { PROXIES: text })).toThrow('PROXIES');
      },
    );
  });

  it('cannot be changed once loaded', () => {
    expect(Object.isFrozen(loadConfig(ExampleConfig, complete))).toBe(true);
  });

  it('documents itself as a table, each variable once', () => {
    const table = settingsTable(BaseConfig, ExampleConfig);
    expect(table.split('\n')).toHaveLength(2 + 11 + 1);
    expect(table).toContain(
      '| `SMTP_PORT` | Where mail is received. | a port from 1 to 65535, or 0',
    );
    expect(table).toContain('| `DELAYS` | Between attempts. |');
    expect(table).toMatch(/`DELAYS`.* \| `0ms,5s` \|/);
    expect(table).toMatch(/`IDLE`.* 1s to 7d, .* \| `12h` \|/);
    expect(table).toMatch(/`AUDIT_KEY`.* \| required \|/);
    expect(table).toMatch(/`NAME`.* \| unset \|/);
  });

  it('does not compile with a setting of another type than its property', () => {
    class Mistaken {
      // @ts-expect-error a port is a number
      @setting.port('A', 'A port.')
      a!: string;

      // @ts-expect-error a nullable setting may be null
      @setting.text('B', 'A text.', { nullable: true })
      b!: string;

      // @ts-expect-error a list is a list
      @setting.list('C', 'A list.')
      c!: string;

      // @ts-expect-error the property must allow every word
      @setting.oneOf('D', 'A word.', ['x', 'y'])
      d!: 'x';
    }
    expect(() => loadConfig(Mistaken, {})).toThrow('A is not set');
  });
});
