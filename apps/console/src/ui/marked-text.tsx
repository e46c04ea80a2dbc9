import type { ReactElement } from 'react';
import { textParts } from './hidden-characters.js';
import style from './marked-text.module.css';

/** A text that a stranger or an agent has written, its hidden characters marked with their code points. */
export const MarkedText = ({ text }: { text: string }): ReactElement => (
  <bdi>
    {textParts(text).map((part, at) =>
      'text' in part ? (
        <span key={at}>{part.text}</span>
      ) : (
        <mark key={at} className={style.mark} title={part.name}>
          {part.code}
          {part.times > 1 && ` × ${part.times}`}
        </mark>
      ),
    )}
  </bdi>
);
