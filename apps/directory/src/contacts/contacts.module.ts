import { Module } from '@nestjs/common';
import { ContactsHandlers } from './contacts.handlers.js';

@Module({ controllers: [ContactsHandlers] })
export class ContactsModule {}
