import { useState } from 'react';
import { selectedMax } from '../triage/use-triage.js';

/** The rows that are selected for one change together. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  /** Selects all from the row that was toggled last. */
  readonly extendTo: (id: string) => void;
  readonly clear: () => void;
}

const none: ReadonlySet<string> = new Set();

export function useSelection(order: readonly string[]): Selection {
  const [ids, setIds] = useState(none);
  const [anchor, setAnchor] = useState<string | null>(null);
  return {
    ids,
    toggle: (id) => {
      setAnchor(id);
      setIds((before) => {
        const after = new Set(before);
        if (!after.delete(id) && after.size < selectedMax) after.add(id);
        return after;
      });
    },
    extendTo: (id) => {
      const [from, to] = [order.indexOf(anchor ?? id), order.indexOf(id)].toSorted((a, b) => a - b);
      const range = order.slice(Math.max(0, from ?? 0), (to ?? 0) + 1);
      if (anchor === null) setAnchor(id);
      setIds((before) => new Set([...before, ...range].slice(0, selectedMax)));
    },
    clear: () => {
      setIds(none);
      setAnchor(null);
    },
  };
}
