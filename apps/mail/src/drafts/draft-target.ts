import type { ReadTarget } from '@postroom/operations';
import { findDraft } from './stored-drafts.js';

/** A draft as the API shows it. */
export const draftTarget: ReadTarget = async (context, id, input) => {
  const { mailbox } = input as { readonly mailbox: string };
  const view = await findDraft(context, mailbox, id);
  if (!view) return null;
  const { version, subject: title } = view;
  return { type: 'draft', id, version, title, view, within: { type: 'mailbox', id: mailbox } };
};
