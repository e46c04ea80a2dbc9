import { Module } from '@nestjs/common';
import { CalendarsHandlers } from './calendars.handlers.js';

@Module({ controllers: [CalendarsHandlers] })
export class CalendarsModule {}
