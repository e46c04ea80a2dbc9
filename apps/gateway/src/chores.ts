import { statement } from '@postroom/persistence';

/** What the gateway forgets by itself: sessions that have ended, links past their seven days. */
export const chores = [statement<object>('access.forget_ended', 'SELECT forget_ended()')];
