import { Module } from '@nestjs/common';
import { FeedWaits } from './feed-waits.js';
import { FeedHandlers } from './feed.handlers.js';

@Module({ controllers: [FeedHandlers], providers: [FeedWaits] })
export class FeedModule {}
