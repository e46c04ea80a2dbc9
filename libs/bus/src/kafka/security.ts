import type { KafkaConfig, SASLOptions } from 'kafkajs';

/** How the brokers are spoken to; PEM texts. */
export interface KafkaSecurity {
  /** Null for plain TCP. */
  readonly tls: {
    /** The authorities that are trusted, instead of the system's. */
    readonly ca?: string;
    /** The certificate of this client and its key, where brokers ask for one. */
    readonly cert?: string;
    readonly key?: string;
  } | null;
  /** Null where nobody signs in. */
  readonly sasl: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  } | null;
}

/** Where the brokers are, and how they are spoken to. */
export interface KafkaPlace {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  /** Plain TCP without a sign-in unless given. */
  readonly security?: KafkaSecurity | undefined;
}

/** What kafkajs needs to speak to them so. */
export function connectionOf({
  brokers,
  security,
}: KafkaPlace): Pick<KafkaConfig, 'brokers' | 'ssl' | 'sasl'> {
  const { tls = null, sasl = null } = security ?? {};
  return {
    brokers: [...brokers],
    ...(tls && { ssl: tls }),
    // kafkajs has a type for each mechanism.
    ...(sasl && { sasl: sasl as SASLOptions }),
  };
}
