import type { Conversation } from '@postroom/contracts';
import type { ReactElement } from 'react';

/** The place below a conversation where an answer or a comment is written. */
export const Composer = (_: { conversation: Conversation }): ReactElement | null => null;
