import { useState } from 'react';

/** The most that one decision may be about. */
export const selectedMax = 50;

export interface Selection {
  /** Those that are selected and still in the queue. */
  readonly ids: readonly string[];
  readonly has: (id: string) => boolean;
  readonly toggle: (id: string) => void;
  /** Selects all that are listed, or none where all are. */
  readonly toggleAll: () => void;
  readonly clear: () => void;
}

/** The requests that are to be decided together. */
export function useSelection(
  items: readonly { readonly id: string; readonly state: string }[],
): Selection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const pending = items.filter(({ state }) => state === 'pending').map(({ id }) => id);
  const ids = pending.filter((id) => selected.has(id)).slice(0, selectedMax);
  return {
    ids,
    has: (id) => selected.has(id),
    toggle: (id) =>
      setSelected((before) =>
        before.has(id)
          ? new Set([...before].filter((one) => one !== id))
          : new Set([...before, id]),
      ),
    toggleAll: () => {
      const all = pending.slice(0, selectedMax);
      setSelected(new Set(ids.length === all.length ? [] : all));
    },
    clear: () => setSelected(new Set()),
  };
}
