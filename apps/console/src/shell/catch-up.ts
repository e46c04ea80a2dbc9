import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useConnection, useStreamEvents } from '../stream/stream.js';

/** A tab that was not looked at for so long asks for everything anew. */
const staleMs = 10 * 60_000;

/** Brings the page up to date after it heard nothing for a while: the stream was lost, or the computer slept. */
export function useCatchUp(): void {
  const client = useQueryClient();
  const { isOpen } = useConnection();
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (isOpen && !wasOpen.current) void client.invalidateQueries();
    wasOpen.current = isOpen;
  }, [isOpen, client]);
  useStreamEvents(({ type }) => {
    if (type === 'reset') void client.invalidateQueries();
  });
  useEffect(() => {
    let hiddenAt = 0;
    const onChange = (): void => {
      if (document.visibilityState === 'hidden') hiddenAt = Date.now();
      else if (hiddenAt > 0 && Date.now() - hiddenAt > staleMs) void client.invalidateQueries();
    };
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, [client]);
}
