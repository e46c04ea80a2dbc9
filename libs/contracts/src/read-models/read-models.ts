import { Flag, Instant, OneOf, Text } from '../fields/index.js';
import { family, operation } from '../operation.js';

/** What the mail service keeps of other services' data, to show it beside conversations. */
export const readModelNames = ['contacts', 'links'] as const;

/** Input of a step of a rebuild. */
export class RebuildReadModel {
  @OneOf(readModelNames, 'What is rebuilt.')
  of!: (typeof readModelNames)[number];

  @Text('Goes on after this id.', { max: 30, default: '' })
  after!: string;
}

/** Answer of a rebuild. */
export class ReadModelRebuilt {
  @Flag('Always true.')
  ok!: boolean;
}

/** Where a page of a rebuild begins. */
export class ReadPage {
  @Text('After this id.', { max: 30 })
  after!: string;
}

/** What every page of a rebuild says beside its data. */
export class RebuiltPage {
  @Instant('When it was read: what happened later is for events to tell.')
  at!: string;

  @Text('The id with which it ends; null where nothing follows.', { max: 30, nullable: true })
  after!: string | null;
}

/** Rebuilding of read models, page by page. */
export const readModels = family(
  'access',
  'readModels',
  {
    rebuild: operation({
      http: 'POST /read-models/rebuild',
      effect: 'intake',
      steps: true,
      summary: 'Rebuild what conversations show of contacts, or of tasks and events',
      description: `It is kept by events, so this is for a database that was restored, or events that were
lost. Nothing is out of sight meanwhile, and it may be repeated.`,
      input: RebuildReadModel,
      output: ReadModelRebuilt,
      addition: true,
    }),
  },
  { audience: 'member', admin: true },
);
