import { Module } from '@nestjs/common';
import { Dlp } from './dlp.js';
import { DlpRulesHandlers } from './dlp-rules.handlers.js';
import { JudgingThread } from './judging-thread.js';

@Module({ controllers: [DlpRulesHandlers], providers: [Dlp, JudgingThread], exports: [Dlp] })
export class DlpModule {}
