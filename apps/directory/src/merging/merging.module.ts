import { Module } from '@nestjs/common';
import { MergingHandlers } from './merging.handlers.js';

@Module({ controllers: [MergingHandlers] })
export class MergingModule {}
