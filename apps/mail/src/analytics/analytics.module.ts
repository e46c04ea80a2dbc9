import { Module } from '@nestjs/common';
import { AnalyticsHandlers } from './analytics.handlers.js';

@Module({ controllers: [AnalyticsHandlers] })
export class AnalyticsModule {}
