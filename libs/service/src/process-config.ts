import { hostname } from 'node:os';
import { KafkaSecurityConfig } from './kafka-security.js';
import { logLevels, type LogLevel } from './log.js';
import { setting } from './setting.js';

/** The settings of every service's process, beside the service's own. */
export class ProcessConfig extends KafkaSecurityConfig {
  @setting.list('KAFKA_BROKERS', 'Kafka, as `host:port` separated by commas.')
  kafkaBrokers!: readonly string[];

  @setting.text('KAFKA_PREFIX', 'First part of every topic’s name; installations differ in it.', {
    default: 'postroom',
  })
  kafkaPrefix!: string;

  @setting.text('INSTANCE', 'Name of this process, unlike every other’s; service and machine.', {
    nullable: true,
  })
  instance!: string | null;

  @setting.text('HEALTH_HOST', 'Address of the probes and metrics.', { default: '127.0.0.1' })
  healthHost!: string;

  @setting.port('HEALTH_PORT', 'Port of /healthz, /readyz, /startupz and /metrics.', {
    default: 8081,
  })
  healthPort!: number;

  @setting.oneOf('LOG_LEVEL', 'What is logged.', logLevels, { default: 'info' })
  logLevel!: LogLevel;

  @setting.oneOf('LOG_FORMAT', 'Lines for a collector or for a person.', ['json', 'plain'], {
    default: 'json',
  })
  logFormat!: 'json' | 'plain';
}

/**
 * The process's name among all: part of a topic's name, so of its characters only, and it begins with
 * the service's, which may read such topics alone (`busRights` of libs/bus).
 */
export function instanceName(service: string, { instance }: ProcessConfig): string {
  const name = instance ?? hostname();
  const own = name.startsWith(`${service}-`) ? name : `${service}-${name}`;
  return own.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 100);
}
