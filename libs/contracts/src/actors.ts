/** Who made a change, as events and audit records name it. */
export interface EventActor {
  readonly type: 'key' | 'member' | 'system';
  readonly id: string | null;
}

/** A service itself. */
export const systemActor: EventActor = { type: 'system', id: null };
