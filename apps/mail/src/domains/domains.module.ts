import { Module } from '@nestjs/common';
import { DomainProof } from './domain-proof.js';
import { DomainsHandlers } from './domains.handlers.js';

@Module({ controllers: [DomainsHandlers], providers: [DomainProof] })
export class DomainsModule {}
