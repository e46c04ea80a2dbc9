import { Module } from '@nestjs/common';
import { AuditHandlers } from './audit.handlers.js';

@Module({ controllers: [AuditHandlers] })
export class AuditModule {}
