import { describe, expect, it } from '@jest/globals';
import { ConfigError, loadConfig, loadConfigs } from './config.js';
import { KafkaSecurityConfig } from './kafka-security.js';
import { instanceName, ProcessConfig } from './process-config.js';
import { setting } from './setting.js';

class PairConfig {
  @setting.integer('PAIRS', 'How many.', { min: 1, max: 2 })
  pairs!: number;
}

describe('the settings of a process', () => {
  const named = (INSTANCE: string): string =>
    instanceName('mail', loadConfig(ProcessConfig, { KAFKA_BROKERS: 'a:1', INSTANCE }));

  it('need the brokers alone', () => {
    expect(loadConfig(ProcessConfig, { KAFKA_BROKERS: 'a:9092, b:9092' })).toEqual({
      ...loadConfig(KafkaSecurityConfig, {}),
      kafkaBrokers: ['a:9092', 'b:9092'],
      kafkaPrefix: 'postroom',
      instance: null,
      healthHost: '127.0.0.1',
      healthPort: 8081,
      logLevel: 'info',
      logFormat: 'json',
    });
  });

  it('give the process a name that can be part of a topic’s', () => {
    expect(named('mail-1')).toBe('mail-1');
    expect(named('postroom-mail-1')).toBe('mail-postroom-mail-1');
    expect(named('mail 1/é')).toBe('mail-mail-1--');
    expect(named('')).toMatch(/^mail-[A-Za-z0-9._-]+$/);
  });

  it('are read with those of the service, every fault of both at once', () => {
    const faults = (): unknown => {
      try {
        return loadConfigs([ProcessConfig, PairConfig], { PAIRS: '3', HEALTH_PORT: 'x' });
      } catch (error) {
        return error instanceof ConfigError ? error.faults.map(({ variable }) => variable) : error;
      }
    };
    expect(faults()).toEqual(['KAFKA_BROKERS', 'HEALTH_PORT', 'PAIRS']);
    const both = loadConfigs([ProcessConfig, PairConfig], { KAFKA_BROKERS: 'a:1', PAIRS: '2' });
    expect(both[1].pairs).toBe(2);
  });
});
