import { Module } from '@nestjs/common';
import { QuotasHandlers } from './quotas.handlers.js';

@Module({ controllers: [QuotasHandlers] })
export class QuotasModule {}
