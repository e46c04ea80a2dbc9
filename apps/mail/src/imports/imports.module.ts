import { Module } from '@nestjs/common';
import { ImportsHandlers, ImportStepsHandlers } from './imports.handlers.js';
import { MessageImporter } from './message-importer.js';

@Module({ controllers: [ImportsHandlers, ImportStepsHandlers], providers: [MessageImporter] })
export class ImportsModule {}
