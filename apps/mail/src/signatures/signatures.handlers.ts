import { newId, signatures, signatureSettings } from '@postroom/contracts';
import { handlers, requireVersion } from '@postroom/operations';
import { contentOf } from './signature-content.js';
import {
  findSignature,
  listSignatures,
  lockSignatures,
  removeSignature,
  requirePlace,
  writeSignature,
} from './stored-signatures.js';

/** Signatures of the workspace; those for mailboxes that the caller may not use do not exist. */
export const SignaturesHandlers = handlers(signatures, {
  list: async (context) => ({ signatures: await listSignatures(context) }),
});

/** Settings of the signatures, for administrators. */
export const SignatureSettingsHandlers = handlers(signatureSettings, {
  list: async (context) => ({ items: await listSignatures(context), nextPageToken: null }),

  create: async (context, { name, mailbox = null, isDefault, ...given }) => {
    const id = newId('sig');
    const content = contentOf(given);
    await lockSignatures(context);
    await requirePlace(context);
    context.subject(id);
    return {
      signature: await writeSignature(context, { id, name, mailbox, isDefault, ...content }),
    };
  },

  update: async (context, { id, ifMatch, html, text, ...given }) => {
    await lockSignatures(context);
    const known = await findSignature(context, id);
    requireVersion(known, ifMatch);
    const content = contentOf(
      { ...(html !== undefined && { html }), ...(text !== undefined && { text }) },
      known,
    );
    return { signature: await writeSignature(context, { ...known, ...given, ...content }) };
  },

  remove: async (context, { id, ifMatch }) => {
    await lockSignatures(context);
    requireVersion(await findSignature(context, id), ifMatch);
    await removeSignature(context, id);
    return { ok: true };
  },
});
