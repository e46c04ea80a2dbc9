import { Module } from '@nestjs/common';

/** The features of the service. */
@Module({ imports: [] })
export class SchedulingModule {}
