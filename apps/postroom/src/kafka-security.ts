import type { KafkaSecurity } from '@postroom/bus';
import { busUser } from '@postroom/contracts';
import { kafkaSecurity, type KafkaSecurityConfig } from '@postroom/service';

/** How this app speaks to the brokers, which it prepares and runs commands on. */
export const securityOf = (config: KafkaSecurityConfig, prefix: string): Promise<KafkaSecurity> =>
  kafkaSecurity(config, busUser('postroom', prefix));
