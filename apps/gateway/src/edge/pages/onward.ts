import type { SignInAnswer } from '@postroom/contracts';
import { enrolmentPage } from './enrolment.js';
import { withNext } from './next.js';
import { secondFactorPage } from './pages.js';

/** The path that a sign-in leads to, whatever it was made with. */
export function onwardOf({ secondFactor: step }: SignInAnswer, next: string | null): string {
  if (!step) return next ?? '/';
  const { path } = step.methods.length > 0 ? secondFactorPage : enrolmentPage;
  return withNext(path, next);
}
