/** What makes a message suspect, as far as the message itself shows it. */
export const suspicions = [
  'sender_name',
  'lookalike_domain',
  'hidden_text',
  'instructions',
  'misleading_link',
] as const;

export type Suspicion = (typeof suspicions)[number];
