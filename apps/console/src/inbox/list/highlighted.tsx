import { Mark } from '@mantine/core';
import type { ReactElement } from 'react';

/** A piece of a message in which `«` and `»` stand around what was searched. */
export const Highlighted = ({ text }: { text: string }): ReactElement => (
  <bdi>
    {text.split(/«([^»]*)»/).map((part, i) => (i % 2 === 1 ? <Mark key={i}>{part}</Mark> : part))}
  </bdi>
);
