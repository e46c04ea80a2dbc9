import {
  Flag,
  Instant,
  ListOf,
  OneOf,
  Part,
  SomeOf,
  Text,
  Texts,
  type Violation,
} from '../fields/index.js';
import { family, operation } from '../operation.js';
import { weekdays, type Weekday } from '../recurrence/rrule-text.js';
import { agentScopes, type Scope } from '../scopes.js';
import { zoneFaults } from '../recurrence/recurrence.js';
import { Quotas } from './quotas.js';

const nameMax = 120;
/** Three parts of each day. */
const hoursMax = 21;

/** Hours of a weekday in which people work, by the clocks of the workspace's zone. */
export class WorkingHours {
  @OneOf(weekdays, 'The day.')
  day!: Weekday;

  @Text('From, as `09:00`.', { max: 5 })
  from!: string;

  @Text('To, as `17:30`; `24:00` is the end of the day.', { max: 5 })
  to!: string;
}

/** Mail that has its effect: what is authenticated (aligned DMARC, DKIM or SPF), or any. */
export const mailEffects = ['authenticated', 'any'] as const;
export type MailEffects = (typeof mailEffects)[number];

const effectsAbout =
  'The mail whose invitations and answers have their effect: what is shown to come from its sender (aligned DMARC, DKIM or SPF), or any. The others wait for a member, as `unconfirmed`.';

/** The most that members may allow assistants that they connect by OAuth (`decisions.md` §12). */
export class Assistants {
  @Flag('Whether members may connect any; without, those that are connected are refused.')
  enabled!: boolean;

  @Texts('Hosts that answer for the ones that may be connected; empty for any.', {
    max: 100,
    each: 253,
  })
  clients!: string[];

  @SomeOf(agentScopes, 'The most that one may be allowed.')
  scopes!: Scope[];
}

/** A workspace as its administrators see it. */
export class WorkspaceSettings {
  @Text('Name; no other workspace of the deployment has it.', { max: nameMax })
  name!: string;

  @Text('Time zone of its days and hours (IANA).', { max: 60 })
  timeZone!: string;

  @ListOf(() => WorkingHours, 'When people work; availability is looked for then.', {
    max: hoursMax,
  })
  workingHours!: WorkingHours[];

  @OneOf(mailEffects, effectsAbout)
  mailEffects!: MailEffects;

  @Part(() => Assistants, 'What members may allow assistants; in force for connected ones too.')
  assistants!: Assistants;

  @Part(
    () => Quotas,
    'What it may have, and has; the operator sets the limits. Null while the service that counts does not answer.',
    { nullable: true },
  )
  quotas!: Quotas | null;

  @Instant('Creation.')
  createdAt!: string;
}

/** One workspace. */
export class WorkspaceAnswer {
  @Part(() => WorkspaceSettings, 'The workspace.')
  workspace!: WorkspaceSettings;
}

/** Input of change: what is absent stays. */
export class UpdateWorkspace {
  @Text('Name.', { max: nameMax, filled: true, optional: true })
  name?: string;

  @Text('Time zone (IANA).', { max: 60, optional: true })
  timeZone?: string;

  @ListOf(() => WorkingHours, 'When people work, all of it.', { max: hoursMax, optional: true })
  workingHours?: WorkingHours[];

  @OneOf(mailEffects, effectsAbout, { optional: true })
  mailEffects?: MailEffects;

  @Part(() => Assistants, 'What members may allow assistants, all of it.', { optional: true })
  assistants?: Assistants;
}

const hour = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

/** True if a text looks like the id of a workspace, which no name may: either leads to a workspace. */
export const isLikeWorkspaceId = (text: string): boolean => text.toLowerCase().startsWith('ten_');

const nameFault: Violation = {
  field: 'name',
  message: {
    fr: 'nom attendu qui ne commence pas par ten_, comme un identifiant',
    en: 'expected a name that does not begin with ten_, as an id does',
  },
};

/** A host, with its port where it has one, or the scheme of an application: what an assistant is known by. */
const assistantHost = /^[a-z0-9](?:[a-z0-9+.-]*[a-z0-9])?(?::\d{1,5})?$/;

const hostFaults = (hosts: readonly string[]): readonly Violation[] =>
  hosts.flatMap((host, i) =>
    assistantHost.test(host)
      ? []
      : [
          {
            field: `assistants.clients.${i}`,
            message: {
              fr: 'hôte attendu, en minuscules, sans https:// ni chemin : claude.ai',
              en: 'expected a host in lower case, without https:// and path, as claude.ai',
            },
          },
        ],
  );

function workspaceFaults({
  name = '',
  timeZone,
  workingHours = [],
  assistants,
}: UpdateWorkspace): readonly Violation[] {
  const hours = workingHours.flatMap(({ from, to }, i): Violation[] =>
    hour.test(from) && (hour.test(to) || to === '24:00') && from < to
      ? []
      : [
          {
            field: `workingHours.${i}`,
            message: {
              fr: 'heures croissantes attendues, 09:00',
              en: 'expected from before to, as 09:00',
            },
          },
        ],
  );
  const names = isLikeWorkspaceId(name) ? [nameFault] : [];
  return [...names, ...zoneFaults(timeZone), ...hours, ...hostFaults(assistants?.clients ?? [])];
}

/** Facts of a workspace that services are told. */
export class WorkspaceFacts {
  @Text('Time zone of its days and hours (IANA).', { max: 60 })
  timeZone!: string;
}

/** Requests of the edge to the gateway's own service. */
export const workspaceFacts = family(
  'access',
  'workspaceFacts',
  {
    get: operation({
      http: 'GET /services/access/workspace',
      summary: 'Read what an import needs to know of the workspace',
      output: WorkspaceFacts,
    }),
  },
  { audience: 'service' },
);

/** The workspace's own settings (`decisions.md` §9). */
export const workspace = family(
  'access',
  'workspace',
  {
    get: operation({
      http: 'GET /workspace',
      summary: 'Read the settings of the workspace',
      output: WorkspaceAnswer,
    }),
    update: operation({
      http: 'PATCH /workspace',
      summary: 'Change the name, the time zone or the working hours of the workspace',
      input: UpdateWorkspace,
      output: WorkspaceAnswer,
      rule: workspaceFaults,
      problems: ['WORKSPACE_EXISTS'],
    }),
  },
  { audience: 'member', admin: true },
);

/** The global send switch of the workspace. */
export class SendSwitch {
  @Flag('Whether sending is allowed.')
  open!: boolean;
}

/** Input of the change. */
export class SetSendSwitch extends SendSwitch {}

/** The send switch (public-api.md §5.7). */
export const sendSwitch = family(
  'access',
  'sendSwitch',
  {
    get: operation({
      http: 'GET /send-switch',
      summary: 'Read the send switch',
      output: SendSwitch,
    }),
    set: operation({
      http: 'PUT /send-switch',
      summary: 'Open or close sending for the whole workspace',
      input: SetSendSwitch,
      output: SendSwitch,
    }),
  },
  { audience: 'member', admin: true },
);
