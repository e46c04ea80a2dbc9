import { Input, Skeleton, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { lazy, Suspense, type ReactElement } from 'react';
import { withLines } from '../../compose/content.js';
import { Temporal } from 'temporal-polyfill';
import { browserZone } from '../../ui/time.js';
import { labelOf } from '../request/fields.js';
import type { Fields } from '../request/headline.js';
import type { Editable } from './editable.js';

const MailEditor = lazy(async () => ({
  default: (await import('../../compose/mail-editor.js')).MailEditor,
}));

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
    case 'mail':
      return (
        <Input.Wrapper {...{ label, error, labelElement: 'div' }}>
          <Suspense fallback={<Skeleton h={160} aria-label="The editor is loading" />}>
            <MailEditor {...{ label, html: text }} onChange={(html) => onChange(withLines(html))} />
          </Suspense>
        </Input.Wrapper>
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

/** A time as `<input type="datetime-local">` has it, in the browser's zone. */
function localOf(value: unknown): string {
  const at = Temporal.Instant.fromEpochMilliseconds(
    typeof value === 'number' ? value : Date.parse(String(value)),
  );
  return at.toZonedDateTimeISO(browserZone).toPlainDateTime().toString({ smallestUnit: 'minute' });
}

/** The time of such a text, in the form of the value that it replaces; null of what is no time. */
function timeOfLocal(text: string, like: unknown): number | string | null {
  try {
    const { epochMilliseconds } = Temporal.PlainDateTime.from(text).toZonedDateTime(browserZone);
    return typeof like === 'number' ? epochMilliseconds : new Date(epochMilliseconds).toISOString();
  } catch {
    return null;
  }
}

/** Recipients as texts: `Name <address>` or the address. */
const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as Fields[]) : []).map(({ name, email }) =>
    typeof name === 'string' && name !== '' ? `${name} <${String(email)}>` : String(email),
  );

const named = /^(.*)<([^<>]*)>$/;

/** Recipients of such texts. */
const peopleOf = (texts: readonly string[]): readonly Fields[] =>
  texts.map((text) => {
    const [, name = '', address = text] = named.exec(text.trim()) ?? [];
    return { name: name.trim() === '' ? null : name.trim(), email: address.trim() };
  });
