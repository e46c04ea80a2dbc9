import { useSyncExternalStore } from 'react';
import type { DraftSession, SessionState } from './draft-session.js';

export const useSession = (session: DraftSession): SessionState =>
  useSyncExternalStore(session.subscribe, session.get);
