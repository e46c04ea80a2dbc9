import { readFile } from 'node:fs/promises';
import { ConfigError, type ConfigFault } from './config.js';
import { setting } from './setting.js';

/** TLS and authentication for Kafka. */
export class KafkaSecurityConfig {
  @setting.oneOf('KAFKA_TLS', 'Whether Kafka is spoken to over TLS.', ['off', 'on'], {
    default: 'off',
  })
  kafkaTls!: 'off' | 'on';

  @setting.text(
    'KAFKA_TLS_CA_FILE',
    'Authorities of the brokers’ certificates (PEM), instead of the system’s.',
    { nullable: true },
  )
  kafkaTlsCaFile!: string | null;

  @setting.text('KAFKA_TLS_CERT_FILE', 'Certificate to show to brokers that ask for one (PEM).', {
    nullable: true,
  })
  kafkaTlsCertFile!: string | null;

  @setting.text('KAFKA_TLS_KEY_FILE', 'Its key (PEM).', { nullable: true })
  kafkaTlsKeyFile!: string | null;

  @setting.oneOf(
    'KAFKA_SASL_MECHANISM',
    'How to sign in to Kafka; `plain` over TLS only. Without it nobody signs in.',
    ['plain', 'scram-sha-256', 'scram-sha-512'],
    { nullable: true },
  )
  kafkaSaslMechanism!: 'plain' | 'scram-sha-256' | 'scram-sha-512' | null;

  @setting.text(
    'KAFKA_SASL_USERNAME',
    'Who signs in; unset, the prefix of the topics and the app, `postroom-mail`.',
    { nullable: true },
  )
  kafkaSaslUsername!: string | null;

  @setting.secret('KAFKA_SASL_PASSWORD', 'The password of that user.', {
    lengthMin: 1,
    nullable: true,
  })
  kafkaSaslPassword!: string | null;
}

/** The same, with files read: what the bus takes. */
export interface ReadKafkaSecurity {
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string } | null;
  readonly sasl: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  } | null;
}

/**
 * Reads the files that the settings name.
 * @param username who signs in unless the settings say
 * @throws ConfigError with every setting that contradicts another, and every file that cannot be read
 */
export async function kafkaSecurity(
  config: KafkaSecurityConfig,
  username: string,
): Promise<ReadKafkaSecurity> {
  const faults = contradictions(config);
  const read = async (variable: string, file: string | null): Promise<string | undefined> => {
    try {
      return file === null ? undefined : await readFile(file, 'utf8');
    } catch {
      faults.push({ variable, found: 'names a file that cannot be read', allowed: 'a PEM file' });
      return undefined;
    }
  };
  const ca = await read('KAFKA_TLS_CA_FILE', config.kafkaTlsCaFile);
  const cert = await read('KAFKA_TLS_CERT_FILE', config.kafkaTlsCertFile);
  const key = await read('KAFKA_TLS_KEY_FILE', config.kafkaTlsKeyFile);
  if (faults.length > 0) throw new ConfigError(faults);
  const own = cert !== undefined && key !== undefined && { cert, key };
  return {
    tls: config.kafkaTls === 'on' ? { ...(ca !== undefined && { ca }), ...own } : null,
    sasl: signInOf(config, username),
  };
}

function signInOf(config: KafkaSecurityConfig, username: string): ReadKafkaSecurity['sasl'] {
  const { kafkaSaslMechanism: mechanism, kafkaSaslPassword: password } = config;
  if (mechanism === null || password === null) return null;
  return { mechanism, username: config.kafkaSaslUsername ?? username, password };
}

function contradictions(config: KafkaSecurityConfig): ConfigFault[] {
  const { kafkaTls, kafkaSaslMechanism: mechanism, kafkaSaslPassword: password } = config;
  const isPlainText = kafkaTls === 'off';
  const faults: [boolean, ConfigFault][] = [
    [
      mechanism === 'plain' && isPlainText,
      { variable: 'KAFKA_SASL_MECHANISM', found: 'is "plain"', allowed: 'that with KAFKA_TLS=on' },
    ],
    [
      mechanism !== null && password === null,
      {
        variable: 'KAFKA_SASL_PASSWORD',
        found: 'is missing',
        allowed: 'a password, since KAFKA_SASL_MECHANISM is set',
      },
    ],
    [
      (config.kafkaTlsCertFile === null) !== (config.kafkaTlsKeyFile === null),
      {
        variable: 'KAFKA_TLS_CERT_FILE',
        found: 'is set without KAFKA_TLS_KEY_FILE, or the reverse',
        allowed: 'both of them or neither',
      },
    ],
    [
      isPlainText && config.kafkaTlsCaFile !== null,
      { variable: 'KAFKA_TLS', found: 'is "off"', allowed: 'on, since KAFKA_TLS_CA_FILE is set' },
    ],
  ];
  return faults.flatMap(([isFault, fault]) => (isFault ? fault : []));
}
