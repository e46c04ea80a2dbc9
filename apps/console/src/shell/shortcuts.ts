import { useEffect, useEffectEvent, useState } from 'react';

/** A key, or two in turn as `g i`, and what it does; all are listed under `?`. */
export interface Shortcut {
  readonly keys: string;
  readonly label: string;
  readonly run: () => void;
}

/** By the place of their component: one within another has a higher one. */
const shown = new Map<number, readonly Shortcut[]>();
/** The time within which the second key of two follows, in milliseconds. */
const secondKeyMs = 1_500;
const enabledKey = 'shortcuts';
let first: { readonly key: string; readonly at: number } | null = null;

/** The shortcuts of what is shown now, those of the page before those of the shell. */
export const currentShortcuts = (): readonly Shortcut[] =>
  [...shown].sort(([one], [other]) => other - one).flatMap(([, shortcuts]) => shortcuts);

export const shortcutsAreOn = (): boolean => localStorage.getItem(enabledKey) !== 'off';

/** Shortcuts of one key can be switched off (WCAG 2.2, 2.1.4). */
export const setShortcuts = (isOn: boolean): void =>
  localStorage.setItem(enabledKey, isOn ? 'on' : 'off');

let places = 0;

/** Components render before those within them, though their effects run after. */
const nextPlace = (): number => ++places;

/** Listens for the keys as long as the component is shown. What is within another has precedence, as a page in the shell. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useEffectEvent(() => shortcuts);
  const [place] = useState(nextPlace);
  useEffect(() => {
    shown.set(place, latest());
  });
  useEffect(
    () => () => {
      shown.delete(place);
    },
    [place],
  );
}

/** Reads keys for all of them; once, in the shell. Only where no field has the focus. */
export function readKeys(): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (isTaken(event) || !shortcutsAreOn() || isTyping(event.target)) return;
    const before = first && event.timeStamp - first.at < secondKeyMs ? `${first.key} ` : '';
    first = null;
    const all = currentShortcuts();
    const found = all.find(({ keys }) => keys === before + event.key);
    if (found) {
      event.preventDefault();
      found.run();
    } else if (all.some(({ keys }) => keys.startsWith(`${event.key} `))) {
      first = { key: event.key, at: event.timeStamp };
    }
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}

const isTaken = (event: KeyboardEvent): boolean =>
  event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey;

/** Typing goes to the field, and keys of an open dialog or menu are its own. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest(
      'input:not([type=checkbox]):not([type=radio]), textarea, select, [role="dialog"], [role="menu"]',
    ) !== null);
