let id: string | null = null;

/** The member whose page this is; null until the account is known. */
export const pageMember = (): string | null => id;

/** Called with each account that is read: the first says whose page it is until it is loaded anew. */
export function pageIsOf(memberId: string): void {
  id ??= memberId;
}

/** Says whose page it is, so that the server refuses what would be done in the name of somebody else. */
export const memberHeader = (): Readonly<Record<string, string>> =>
  id === null ? {} : { 'x-postroom-member': id };
