import { useEffect, useEffectEvent } from 'react';
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

const shown = new Map<symbol, readonly Command[]>();

/** The commands of the page that is shown. */
export const pageCommands = (): readonly Command[] => [...shown.values()].reverse().flat();

/** Puts commands into the palette as long as the component is shown. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useEffectEvent(() => commands);
  useEffect(() => {
    const id = Symbol('commands');
    shown.set(id, latest());
    return () => {
      shown.delete(id);
    };
  });
}
