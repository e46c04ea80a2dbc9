import { Module } from '@nestjs/common';
import { EventsModule } from '../events/index.js';
import { TaskPages } from './task-pages.js';
import { TasksHandlers } from './tasks.handlers.js';

@Module({ imports: [EventsModule], controllers: [TasksHandlers], providers: [TaskPages] })
export class TasksModule {}
