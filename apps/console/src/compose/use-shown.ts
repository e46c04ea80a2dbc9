import { useState } from 'react';
import { parsed } from '../mail-frame/parsed.js';
import type { DraftSession } from './draft-session.js';

export interface Shown {
  /** The text is what the editor shows; until then nothing may leave. */
  readonly isShown: boolean;
  /** Parts of the text are gone, because the editor cannot show them. */
  readonly isCut: boolean;
  readonly onShown: (html: string) => void;
}

/** Makes the text of a message what its editor shows, so that nothing leaves unseen. */
export function useShown(session: DraftSession): Shown {
  const [isShown, setIsShown] = useState(false);
  const [isCut, setIsCut] = useState(false);
  const onShown = (html: string): void => {
    const given = session.get().content.html;
    setIsShown(true);
    if (html === given) return;
    setIsCut(partsIn(html) !== partsIn(given));
    session.change({ html });
  };
  return { isShown, isCut, onShown };
}

/** The whole text without its spaces, also what a browser would hide, and how many things are no text. */
function partsIn(html: string): string {
  const root = parsed(html).documentElement;
  const things = root.querySelectorAll(
    'img, svg, video, audio, iframe, object, embed, table, input',
  );
  return `${things.length} ${root.textContent.replaceAll(/\s/g, '')}`;
}
