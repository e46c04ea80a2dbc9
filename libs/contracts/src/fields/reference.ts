/** What is said of a name behind which there is nothing, by what it was to name. */
const unknown = {
  memberIds: { fr: 'membre inconnu', en: 'there is no such member' },
  activeMember: { fr: 'membre inconnu ou inactif', en: 'there is no such active member' },
  team: { fr: 'équipe inconnue', en: 'there is no such team' },
} as const;

/**
 * What the value of a field names: ids of members, the address of an active member, or the id of a
 * team.
 */
export type Reference = keyof typeof unknown;

/** What is said of a name that the workspace does not have. */
export const unknownReference = (
  reference: Reference,
): { readonly fr: string; readonly en: string } => unknown[reference];
