import { Module } from '@nestjs/common';
import { ImportsHandlers, ImportStepsHandlers } from './imports.handlers.js';
import { MessageIntake } from './message-intake.js';

@Module({ controllers: [ImportsHandlers, ImportStepsHandlers], providers: [MessageIntake] })
export class ImportsModule {}
