import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import type { IconName } from '../ui/icons.js';

/** Something to do from the command palette. */
export interface Command {
  readonly id: string;
  /** A verb and its object, as "New message". */
  readonly label: string;
  readonly icon?: IconName;
  /** Its shortcut, shown beside it. */
  readonly keys?: string;
  readonly run: () => void;
}

let shown: readonly Command[] = [];
const readers = new Set<() => void>();

function show(commands: readonly Command[]): void {
  shown = commands;
  for (const read of readers) read();
}

/** The commands of the conversation that is shown. */
export const useCommandsShown = (): readonly Command[] =>
  useSyncExternalStore(
    (reader) => {
      readers.add(reader);
      return () => readers.delete(reader);
    },
    () => shown,
  );

/** Offers commands in the palette as long as the component, of which there is one at a time, is shown. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useEffectEvent(() => commands);
  useEffect(() => {
    show(latest());
  });
  useEffect(() => () => show([]), []);
}
