import { Module } from '@nestjs/common';
import { SignatureSettingsHandlers, SignaturesHandlers } from './signatures.handlers.js';

@Module({ controllers: [SignatureSettingsHandlers, SignaturesHandlers] })
export class SignaturesModule {}
