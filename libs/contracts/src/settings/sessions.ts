import { Done, SettingsPage } from '../answers.js';
import { Flag, Id, Instant, ListOf } from '../fields/index.js';
import { IdOf, Nothing } from '../inputs.js';
import { family, operation } from '../operation.js';

/** Sessions of a member at once: a sign-in beyond them ends the oldest. */
export const sessionsMax = 1_000;

/** A sign-in that has not ended. */
export class MemberSession {
  @Id('ses', 'The session.')
  id!: string;

  @Instant('Sign-in.')
  createdAt!: string;

  @Instant('Last use, to the minute.')
  seenAt!: string;

  @Flag('Whether this request came with it.')
  current!: boolean;
}

/** Input of the list. */
export class ListSessions extends Nothing {}

/** Input of its end. */
export class RemoveSession extends IdOf('ses', 'The session.') {}

/** One’s own sessions. */
export class SessionList extends SettingsPage {
  @ListOf(() => MemberSession, 'Sessions, the newest first.', { max: sessionsMax })
  items!: MemberSession[];
}

/** The sessions of whoever is signed in, in whatever browser (`decisions.md` §9). */
export const sessions = family(
  'access',
  'sessions',
  {
    list: operation({
      http: 'GET /sessions',
      effect: 'read',
      summary: 'List one’s own sessions',
      input: ListSessions,
      output: SessionList,
    }),
    remove: operation({
      http: 'DELETE /sessions/:id',
      effect: 'destroy',
      summary: 'End one of one’s own sessions',
      input: RemoveSession,
      output: Done,
      problems: ['SESSION_NOT_FOUND'],
    }),
  },
  { audience: 'member' },
);
