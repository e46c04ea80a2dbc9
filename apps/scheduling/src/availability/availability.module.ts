import { Module } from '@nestjs/common';
import { AvailabilityHandlers } from './availability.handlers.js';

@Module({ controllers: [AvailabilityHandlers] })
export class AvailabilityModule {}
