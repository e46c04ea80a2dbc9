import { Box } from '@mantine/core';
import type { ReactElement } from 'react';
import { ShownValue } from '../request/field-value.js';
import { labelOf } from '../request/fields.js';
import type { Fields } from '../request/headline.js';
import style from '../request/request.module.css';

interface Difference {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

const isInner = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields by which two requests differ. */
export function differencesOf(before: Fields, after: Fields): readonly Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    if (isInner(old) && isInner(now)) return differencesOf(old, now);
    return [{ name, before: old, after: now }];
  });
}

/** The changes of a member to what the agent asked for. */
export const Differences = (props: { before: Fields; after: Fields }): ReactElement => (
  <dl className={style.fields}>
    {differencesOf(props.before, props.after).map((field) => (
      <Box key={field.name} display="contents">
        <dt>{labelOf(field.name)}</dt>
        <dd>
          <ShownValue kind="update" field={field} />
        </dd>
      </Box>
    ))}
  </dl>
);
