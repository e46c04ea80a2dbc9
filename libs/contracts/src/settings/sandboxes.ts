import { SettingsPage } from '../answers.js';
import { Email, HeaderText, Id, Instant, isSeen, ListOf, Part, Text } from '../fields/index.js';
import { family, operation } from '../operation.js';

/** The name of a workspace that is made, characters. */
export const newWorkspaceNameMax = 80;

/** Sandboxes of a workspace. */
export const sandboxesMax = 10;

/** A sandbox that a workspace has made. */
export class OwnSandbox {
  @Id('ten', 'The sandbox, as a workspace.')
  id!: string;

  @Text('Name; no other workspace of the deployment has it.', { max: newWorkspaceNameMax })
  name!: string;

  @Text('The domain that its mailboxes may have.', { max: 253 })
  domain!: string;

  @Instant('Creation.')
  createdAt!: string;
}

/** The sandboxes of a workspace. */
export class OwnSandboxList extends SettingsPage {
  @ListOf(() => OwnSandbox, 'Sandboxes, oldest first.', { max: sandboxesMax })
  items!: OwnSandbox[];
}

/** Input of creation. */
export class CreateSandbox {
  @HeaderText('Name.', { max: newWorkspaceNameMax, filled: true })
  name!: string;

  @Email('The address of its first administrator.')
  adminEmail!: string;
}

/** A sandbox that was made. */
export class CreatedSandbox {
  @Part(() => OwnSandbox, 'The sandbox.')
  sandbox!: OwnSandbox;

  @Text('A link by which its administrator chooses a password, once and within 7 days.', {
    max: 2000,
  })
  invitationUrl!: string;
}

/** Making sandboxes, from a workspace that is none. */
export const sandboxes = family(
  'access',
  'sandboxes',
  {
    list: operation({
      http: 'GET /sandboxes',
      summary: 'List the sandboxes that the workspace has made',
      output: OwnSandboxList,
    }),
    create: operation({
      http: 'POST /sandboxes',
      effect: 'intake',
      success: 201,
      summary: 'Make a sandbox: a workspace for tests, whose mail never leaves',
      description:
        'It has an address book, a shared calendar and a domain of its own. The same name and administrator again make ' +
        'a new link, and whatever a call that broke off has left out. A sandbox makes none.',
      input: CreateSandbox,
      rule: isSeen('name'),
      output: CreatedSandbox,
      problems: ['TOO_MANY_SANDBOXES', 'WORKSPACE_EXISTS'],
    }),
  },
  { audience: 'member', admin: true },
);
