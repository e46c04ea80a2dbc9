import {
  contactPages,
  learntContacts,
  learntLinks,
  linkPages,
  readModels,
  type Operation,
  type ReadPage,
  type RebuildReadModel,
  type RebuiltPage,
} from '@postroom/contracts';
import { handlers, OperationClient } from '@postroom/operations';
import { requireSuccess } from '../problems.js';

/** The operations that read the data of a read model and that learn it; a page is passed on as it is. */
interface Source {
  readonly read: Operation<ReadPage>;
  readonly learn: Operation;
}

const sources: Readonly<Record<RebuildReadModel['of'], Source>> = {
  contacts: { read: contactPages.read, learn: learntContacts.learn },
  links: { read: linkPages.read, learn: learntLinks.learn },
};

/** A step of a rebuild: a page of the one service is learnt by the other. */
export const ReadModelsHandlers = handlers(readModels, [OperationClient], (operations) => ({
  rebuild: async ({ caller, requestId }, { of, after: from }) => {
    const { read, learn } = sources[of];
    const reply = await operations.call(read, caller, { after: from }, { requestId });
    const page = JSON.parse(requireSuccess(reply).body.toString()) as RebuiltPage;
    requireSuccess(await operations.call(learn, caller, { ...page, from }, { requestId }));
    return { ok: true, after: page.after };
  },
}));
