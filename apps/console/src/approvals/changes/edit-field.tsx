import { Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { labelOf } from '../request/fields.js';
import { browserZone } from '../../ui/time.js';
import type { Editable } from './editable.js';
import { localOf, timeOfLocal } from './local-time.js';
import { peopleOf, textsOf } from './people.js';

interface EditProps {
  readonly field: Editable;
  readonly value: unknown;
  readonly error: string | undefined;
  readonly onChange: (value: unknown) => void;
}

/** A control for one part of a request. */
export function EditField({ field, value, error, onChange }: EditProps): ReactElement {
  const label = labelOf(field.name);
  const common = { label, error };
  const text = typeof value === 'string' ? value : '';
  switch (field.kind) {
    case 'yes':
      return (
        <Switch
          {...{ label, checked: value === true }}
          onChange={({ currentTarget: { checked } }) => onChange(checked)}
        />
      );
    case 'text':
      return (
        <Textarea
          {...{ ...common, value: text, autosize: true, minRows: 4, maxRows: 22 }}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      );
    case 'time':
      return <TimeField {...{ field, value, error, onChange }} />;
    case 'people':
      return (
        <TagsInput
          {...{ ...common, value: textsOf(value), splitChars: [',', ';'] }}
          onChange={(texts) => onChange(peopleOf(texts))}
        />
      );
    case 'words':
      return <TagsInput {...{ ...common, value: value as string[] }} onChange={onChange} />;
    default:
      return (
        <TextInput
          {...{ ...common, value: text }}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      );
  }
}

function TimeField({ field, value, error, onChange }: EditProps): ReactElement {
  return (
    <TextInput
      {...{ label: `${labelOf(field.name)} (${browserZone})`, error, type: 'datetime-local' }}
      value={localOf(value)}
      onChange={({ currentTarget }) => {
        const time = timeOfLocal(currentTarget.value, field.value);
        if (time !== null) onChange(time);
      }}
    />
  );
}
