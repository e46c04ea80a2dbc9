import type { Correspondent } from '@postroom/contracts';
import { visibleLine } from './visible-text.js';

const namesMax = 200;

/** Somebody who wrote or was written to, in short lines. */
export const correspondent = ({ email, name }: Correspondent) => ({
  email: visibleLine(email, namesMax),
  name: name && visibleLine(name, namesMax),
});

/** The labels of a conversation that are shown. */
export const shownLabels = (labels: readonly string[]): readonly string[] =>
  labels.slice(0, 50).map((label) => visibleLine(label, 128));
