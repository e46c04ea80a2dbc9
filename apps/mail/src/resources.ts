import { Module, type DynamicModule } from '@nestjs/common';
import { Keyring } from '@postroom/access';
import { MessageParser } from '@postroom/mime';
import { UnitOfWork } from '@postroom/operations';
import { Database, PageTokens } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { MailConfig } from './config.js';

/** The injection token of the log. */
export const logToken = Symbol('log');

/** What the features share, made before them and closed after them. */
export interface Resources {
  readonly config: MailConfig;
  readonly database: Database;
  readonly parser: MessageParser;
  readonly log: Log;
}

@Module({})
export class ResourcesModule {
  static from({ config, database, parser, log }: Resources): DynamicModule {
    const keyring = Keyring.parse(config.secretsKeys);
    const { current, all } = keyring.derive('page-token');
    const providers = [
      { provide: MailConfig, useValue: config },
      { provide: Database, useValue: database },
      { provide: UnitOfWork, useValue: new UnitOfWork(database) },
      { provide: MessageParser, useValue: parser },
      { provide: Keyring, useValue: keyring },
      { provide: PageTokens, useValue: new PageTokens([current, ...all]) },
      { provide: logToken, useValue: log },
    ];
    return { module: ResourcesModule, global: true, providers, exports: providers };
  }
}
