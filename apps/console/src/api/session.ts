/** Why requests wait for the member: the session ended, a proof of who it is, or a second factor is missing. */
export type SessionNeed = 'sign-in' | 'step-up' | 'enrolment';

/** The member closed the question who it is. */
export class NotConfirmed extends Error {
  constructor() {
    super('Nothing was changed: you have not confirmed that it is you.');
  }
}

interface Wait {
  readonly promise: Promise<unknown>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** In the order in which they are asked for. */
const order: readonly SessionNeed[] = ['sign-in', 'enrolment', 'step-up'];
const waits = new Map<SessionNeed, Wait>();
const listeners = new Set<() => void>();
let isOpen = false;
let isLeft = false;

/** Called once the shell shows a member's page: from then on nothing typed may be lost. */
export function pageIsOpen(): void {
  isOpen = true;
}

/** Called by the sign-out: from then on the page asks for nothing more, unless it did not work. */
export function leavePage(isLeaving: boolean): void {
  isLeft = isLeaving;
}

export const pageIsLeft = (): boolean => isLeft;

/**
 * Waits until the member has signed in again, in a dialog over the page. Where there is no page yet, the sign-in page
 * takes its place.
 */
export const signedInAgain = (): Promise<unknown> => wait('sign-in', '/sign-in');

/** Waits until the member has a second factor, which the workspace requires. */
export const enrolled = (): Promise<unknown> => wait('enrolment', '/enrolment');

/**
 * Waits until the member has proved again who it is.
 * @throws NotConfirmed if it does not
 */
export const proved = (): Promise<unknown> => wait('step-up', '/sign-in');

/** Called by the dialog once requests can go on; a sign-in is a proof too. */
export function resume(need: SessionNeed): void {
  for (const one of need === 'sign-in' ? order : [need]) {
    waits.get(one)?.resolve();
    waits.delete(one);
  }
  tell();
}

/** Called by the dialog when the member gives no proof. */
export function giveUpProof(): void {
  waits.get('step-up')?.reject(new NotConfirmed());
  waits.delete('step-up');
  tell();
}

export const sessionState = {
  need: (): SessionNeed | null => order.find((one) => waits.has(one)) ?? null,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function wait(need: SessionNeed, page: string): Promise<unknown> {
  if (!isOpen) {
    const here = `${location.pathname}${location.search}`;
    location.replace(`${page}?next=${encodeURIComponent(here)}`);
    return new Promise(() => undefined);
  }
  const begun = waits.get(need);
  if (begun) return begun.promise;
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  waits.set(need, { promise, resolve: () => resolve(undefined), reject });
  tell();
  return promise;
}

function tell(): void {
  for (const listener of listeners) listener();
}
