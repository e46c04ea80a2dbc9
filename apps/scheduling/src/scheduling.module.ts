import { Module } from '@nestjs/common';
import { TasksModule } from './tasks/index.js';

/** The features of the service. */
@Module({ imports: [TasksModule] })
export class SchedulingModule {}
