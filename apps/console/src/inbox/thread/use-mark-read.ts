import { useEffect, useRef } from 'react';
import { useRow } from '../list/rows.js';
import { mark } from '../triage/use-triage.js';

/** A conversation that is passed over with the keys stays unread. */
const afterMs = 1_000;

/**
 * Opening a conversation marks it as read for everybody, after a moment; one that the reader then marks as unread
 * stays so.
 */
export function useMarkRead(id: string, isWritable: boolean): void {
  const unread = useRow(id)?.unread ?? false;
  const isDone = useRef(false);
  useEffect(() => {
    if (!unread || !isWritable || isDone.current) return undefined;
    const timer = setTimeout(() => {
      isDone.current = true;
      mark(id, false);
    }, afterMs);
    return () => clearTimeout(timer);
  }, [id, unread, isWritable]);
}
