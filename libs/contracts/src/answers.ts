import { Email, Flag, Id, Text } from './fields/index.js';

/** A correspondent of a message. */
export class Correspondent {
  @Email('Mail address.')
  email!: string;

  @Text('Display name; null when the message gave none.', { max: 998, nullable: true })
  name!: string | null;
}

/** The answer of an operation that has nothing else to say. */
export class Done {
  @Flag('Always true.')
  ok!: boolean;
}

/** Pages of the settings API. */
export class SettingsPage {
  @Text('Always null: the lists of the settings are whole.', { max: 2000, nullable: true })
  nextPageToken!: string | null;
}

/** A workspace as its members see it. */
export class Tenant {
  @Id('ten', 'The workspace.')
  id!: string;

  @Text('Name of the workspace.', { max: 80 })
  name!: string;
}
