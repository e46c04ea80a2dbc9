import { Module } from '@nestjs/common';
import { Dlp } from './dlp.js';
import { DlpRulesHandlers } from './dlp-rules.handlers.js';

@Module({ controllers: [DlpRulesHandlers], providers: [Dlp], exports: [Dlp] })
export class DlpModule {}
