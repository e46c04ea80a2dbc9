import { Module } from '@nestjs/common';
import { TaskPages } from './task-pages.js';
import { TasksHandlers } from './tasks.handlers.js';

@Module({ controllers: [TasksHandlers], providers: [TaskPages] })
export class TasksModule {}
