import { Module } from '@nestjs/common';
import { Ingest } from './ingest.js';

@Module({ providers: [Ingest], exports: [Ingest] })
export class InboundModule {}
