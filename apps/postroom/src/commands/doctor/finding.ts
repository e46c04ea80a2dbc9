/** The result of a check. */
export interface Finding {
  readonly state: 'ok' | 'warning' | 'wrong' | 'skipped';
  /** Its subject, such as `database mail`. */
  readonly about: string;
  /** The result in words, or the reason why it was skipped. */
  readonly says: string;
  /** Advice for the operator. */
  readonly advice?: string;
}

/** One check; what it throws is a finding too. */
export interface Check {
  readonly about: string;
  /** Advice for the case that it throws. */
  readonly advice: string;
  readonly run: () => Promise<readonly Omit<Finding, 'about'>[]>;
}

const withinMs = 10_000;

/** Runs a check, for ten seconds at most. */
export async function findingsOf({ about, advice, run }: Check): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${withinMs / 1000} s`)), withinMs);
  });
  try {
    return (await Promise.race([run(), late])).map((finding) => ({ about, ...finding }));
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error);
    return [{ state: 'wrong', about, says, advice }];
  } finally {
    clearTimeout(timer);
  }
}

export const ok = (says: string) => ({ state: 'ok', says }) as const;
export const skipped = (says: string) => ({ state: 'skipped', says }) as const;
export const wrong = (says: string, advice: string) => ({ state: 'wrong', says, advice }) as const;
export const warning = (says: string, advice: string) =>
  ({ state: 'warning', says, advice }) as const;

/** A finding as a line for a person. */
export const lineOf = ({ state, about, says, advice }: Finding): string =>
  `${state.padEnd(8)} ${about}: ${says}${advice === undefined ? '' : `\n         ${advice}`}`;
