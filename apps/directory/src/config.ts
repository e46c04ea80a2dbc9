import { ServiceConfig } from '@postroom/operations';
import { setting } from '@postroom/service';

/** The settings of the directory service. */
export class DirectoryConfig extends ServiceConfig {
  @setting.integer('QUOTA_CONTACTS', 'Contacts of a workspace, those that were merged included.', {
    default: 1_000_000,
    min: 1,
    max: 1_000_000_000,
  })
  quotaContacts!: number;
}

/** The environment of this process. */
export const environment = (): NodeJS.ProcessEnv => process.env;
