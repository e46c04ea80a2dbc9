import { ServiceConfig } from '@postroom/operations';
import { setting } from '@postroom/service';
import { limits } from './limits.js';

/** The settings of the webhook dispatcher. */
export class WebhooksConfig extends ServiceConfig {
  @setting.networks(
    'WEBHOOK_ALLOWED_CIDRS',
    'Addresses that webhooks may be sent to though they are not public, without TLS too.',
    { nullable: true },
  )
  webhookAllowedCidrs!: readonly string[] | null;

  @setting.durations(
    'WEBHOOK_RETRY_DELAYS_MS',
    'Delays before the four attempts of a delivery, each 20 % longer or shorter by chance; the first is made at once, whatever stands there.',
    { default: [0, 5_000, 300_000, 1_800_000], min: 0, max: 86_400_000 },
  )
  webhookRetryDelaysMs!: readonly number[];

  @setting.list(
    'OUTBOUND_DNS_SERVERS',
    'Name servers for hosts that customers name, instead of the system’s.',
    {
      nullable: true,
    },
  )
  outboundDnsServers!: readonly string[] | null;

  @setting.integer(
    'WEBHOOK_EVENT_DAYS',
    'Days for which events are kept, for the feed and redelivery.',
    {
      default: 7,
      min: 1,
      max: 14,
    },
  )
  webhookEventDays!: number;

  @setting.integer('WEBHOOK_HISTORY_DAYS', 'Days for which the history of deliveries is kept.', {
    default: 30,
    min: 7,
    max: 56,
  })
  webhookHistoryDays!: number;

  @setting.integer('WEBHOOK_CONCURRENCY', 'Deliveries under way at once in a process.', {
    default: limits.deliveries.total,
    min: 1,
    max: 4_096,
  })
  webhookConcurrency!: number;
}

/** The environment of this process. */
export const environment = (): NodeJS.ProcessEnv => process.env;
