import { Module } from '@nestjs/common';
import { SignaturesHandlers } from './signatures.handlers.js';

@Module({ controllers: [SignaturesHandlers] })
export class SignaturesModule {}
