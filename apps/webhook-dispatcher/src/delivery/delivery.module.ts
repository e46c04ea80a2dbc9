import { Module } from '@nestjs/common';
import { SubscriptionsModule } from '../subscriptions/index.js';
import { Dispatcher } from './dispatcher.js';

@Module({ imports: [SubscriptionsModule], providers: [Dispatcher] })
export class DeliveryModule {}
