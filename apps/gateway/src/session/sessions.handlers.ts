import { endedSessionCookie } from '@postroom/access';
import { Problem, sessions, sessionsMax } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { GatewayConfig } from '../config.js';
import { memberOf } from './member-of.js';
import { SessionEntity } from './session.entity.js';

interface LiveSession {
  readonly id: string;
  readonly created_at: Date;
  readonly seen_at: Date;
}

/** A member's own sessions. */
export const SessionsHandlers = handlers(sessions, [GatewayConfig], (config) => ({
  list: async (context) => {
    const { memberId, sessionId } = memberOf(context);
    const found = await context.entities((manager) =>
      manager.query<LiveSession[]>(
        `SELECT s.id, s.created_at, s.seen_at FROM sessions s
         WHERE s.member_id = $1 AND is_session_live(s)
         ORDER BY s.created_at DESC, s.id DESC LIMIT $2`,
        [memberId, sessionsMax],
      ),
    );
    const items = found.map(({ id, created_at, seen_at }) => ({
      id,
      createdAt: created_at.toISOString(),
      seenAt: seen_at.toISOString(),
      current: id === sessionId,
    }));
    return { items, nextPageToken: null };
  },

  remove: async (context, { id }) => {
    const { memberId, sessionId } = memberOf(context);
    const { affected } = await context.manager.delete(SessionEntity, { id, memberId });
    if (!affected) throw new Problem('SESSION_NOT_FOUND');
    if (id === sessionId) context.header('set-cookie', endedSessionCookie(config));
    return { ok: true };
  },
}));
