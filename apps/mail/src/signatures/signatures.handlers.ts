import { invalidField, newId, signatures, signatureSettings } from '@postroom/contracts';
import { sanitiseHtml, textOfHtml } from '@postroom/mime';
import { handlers, requireVersion } from '@postroom/operations';
import {
  findSignature,
  listSignatures,
  lockSignatures,
  removeSignature,
  requireRoomForSignature,
  writeSignature,
  type SignatureContent,
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
    await requireRoomForSignature(context);
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

/** The input: undefined keeps, a text of null is derived from the HTML. */
interface ContentInput {
  readonly html?: string;
  readonly text?: string | null;
}

/**
 * The content of a signature after an input; `known` is the content before, absent for a new one.
 * @throws Problem INVALID_REQUEST when nothing of the HTML is left
 */
function contentOf({ html, text }: ContentInput, known?: SignatureContent): SignatureContent {
  const safe = html === undefined ? (known?.html ?? '') : safeHtml(html);
  if (typeof text === 'string') return { html: safe, text, textDerived: false };
  if (text === undefined && known && !known.textDerived) return { ...known, html: safe };
  return { html: safe, text: textOfHtml(safe), textDerived: true };
}

function safeHtml(given: string): string {
  const { html } = sanitiseHtml(given);
  if (html.trim() !== '') return html;
  throw invalidField(
    'html',
    'rien de ce HTML ne peut être affiché',
    'nothing of this HTML can be shown',
  );
}
