import type { ParsedMessage } from '@postroom/mime';

/**
 * The Message-IDs a message answers, the one that decides first: References from the nearest ancestor
 * to the farthest (RFC 5322 §3.6.4 lists them oldest first), then In-Reply-To. Never the subject.
 */
export function ancestorsOf(
  message: Pick<ParsedMessage, 'messageId' | 'inReplyTo' | 'references'>,
): string[] {
  const { messageId, inReplyTo, references } = message;
  const ancestors = new Set(references.toReversed());
  if (inReplyTo !== null) ancestors.add(inReplyTo);
  if (messageId !== null) ancestors.delete(messageId);
  return [...ancestors];
}
