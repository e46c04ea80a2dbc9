import { Module, type DynamicModule } from '@nestjs/common';
import { ResourcesModule, type Resources } from '../resources.js';
import { SmtpModule } from '../smtp/index.js';

/** Everything that runs in the intake's thread: the listeners, and what delivers. */
@Module({})
export class IntakeModule {
  static from(resources: Resources): DynamicModule {
    return { module: IntakeModule, imports: [ResourcesModule.from(resources), SmtpModule] };
  }
}
