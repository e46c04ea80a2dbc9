import { Module } from '@nestjs/common';
import { ContactPagesHandlers } from './contact-pages.handlers.js';

@Module({ controllers: [ContactPagesHandlers] })
export class ContactPagesModule {}
