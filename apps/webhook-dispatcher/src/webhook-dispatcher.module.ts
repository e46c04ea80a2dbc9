import { Module, type DynamicModule } from '@nestjs/common';
import { OutboundGuard } from '@postroom/outbound';
import { Metrics } from '@postroom/service';
import { DeliveryModule, Poster } from './delivery/index.js';
import { FeedModule } from './feed/index.js';
import { HistoryModule } from './history/index.js';
import { SubscriptionsModule } from './subscriptions/index.js';

/** What the features share beside the resources of every service. */
@Module({})
class OutsideModule {}

/** The features of the service. */
@Module({})
export class WebhooksModule {
  static from(guard: OutboundGuard, poster: Poster, metrics: Metrics): DynamicModule {
    const providers = [
      { provide: OutboundGuard, useValue: guard },
      { provide: Poster, useValue: poster },
      { provide: Metrics, useValue: metrics },
    ];
    const outside = { module: OutsideModule, global: true, providers, exports: providers };
    return {
      module: WebhooksModule,
      imports: [outside, SubscriptionsModule, DeliveryModule, HistoryModule, FeedModule],
    };
  }
}
