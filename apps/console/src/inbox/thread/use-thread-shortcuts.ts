import { openComposer } from '../../compose/open-composer.js';
import { useShortcuts } from '../../shell/shortcuts.js';
import { useInbox } from '../inbox-state.js';

/** Keys that need a conversation to be open. */
export function useThreadShortcuts(isWritable: boolean): void {
  const { close } = useInbox();
  const writing = [
    { keys: 'r', label: 'Reply', run: () => openComposer('reply') },
    { keys: 'R', label: 'Reply to all', run: () => openComposer('replyAll') },
    { keys: 'f', label: 'Forward', run: () => openComposer('forward') },
    { keys: 'c', label: 'Comment to the team', run: () => openComposer('comment') },
  ];
  useShortcuts([
    ...(isWritable ? writing : []),
    { keys: 'Escape', label: 'Close the conversation', run: close },
  ]);
}
