import { Module } from '@nestjs/common';
import { ImportsHandlers } from './imports.handlers.js';
import { MessageIntake } from './message-intake.js';

@Module({ controllers: [ImportsHandlers], providers: [MessageIntake] })
export class ImportsModule {}
