import type { ContactList } from '@postroom/contracts';
import { Combobox, Pill, PillsInput, Text, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import {
  useEffect,
  useEffectEvent,
  useId,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from 'react';
import { api } from '../api/api.js';
import { addressesIn } from './addresses-in.js';
import { addressOf, type Address } from './content.js';
import classes from './compose.module.css';

interface FieldProps {
  readonly label: string;
  readonly value: readonly Address[];
  readonly onChange: (value: readonly Address[]) => void;
  readonly error?: string | undefined;
  readonly isFrozen: boolean;
  readonly hasFocus?: boolean;
  readonly aside?: ReactNode;
}

/** Recipients as names, found in the address books or written out; several can be pasted. */
export function RecipientsField(props: FieldProps): ReactElement {
  const { label, value, onChange, error, isFrozen } = props;
  const id = useId();
  const [text, setText] = useState('');
  const [isUnusable, setIsUnusable] = useState(false);
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const options = useContacts(text, value);
  const shown = options.map(({ email }) => email).join();
  const onOptions = useEffectEvent(() => {
    if (shown === '') combobox.resetSelectedOption();
    else combobox.selectFirstOption();
  });
  useEffect(() => onOptions(), [shown]);
  const add = (more: readonly Address[]): void => {
    const known = new Set(value.map(({ email }) => email.toLowerCase()));
    onChange([...value, ...more.filter(({ email }) => !known.has(email.toLowerCase()))]);
    setText('');
    setIsUnusable(false);
    combobox.resetSelectedOption();
    combobox.closeDropdown();
  };
  const take = (given: string): boolean => {
    const found = addressesIn(given);
    if (found) add(found);
    else setIsUnusable(given.trim() !== '');
    return found !== null;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const isWhole = addressesIn(text) !== null;
    const isChosen = combobox.dropdownOpened && combobox.getSelectedOptionIndex() >= 0;
    if (event.key === 'Backspace' && text === '') onChange(value.slice(0, -1));
    else if (['Enter', ',', ';'].includes(event.key) && text !== '' && (isWhole || !isChosen)) {
      event.preventDefault();
      // Ctrl and Enter send, but not without an address that is not finished.
      if (!take(text)) event.stopPropagation();
    }
  };
  return (
    <div className={classes.row}>
      <label htmlFor={id} className={classes.rowLabel}>
        {label}
      </label>
      <Combobox
        store={combobox}
        onOptionSubmit={(email) => add(options.filter((option) => option.email === email))}
      >
        <Combobox.DropdownTarget>
          <PillsInput
            {...{ id, variant: 'unstyled', flex: 1, disabled: isFrozen }}
            error={isUnusable ? 'This is no complete address.' : error}
          >
            <Pill.Group>
              {value.map((address) => (
                <RecipientPill
                  key={address.email}
                  address={address}
                  onRemove={() => onChange(value.filter((one) => one !== address))}
                />
              ))}
              <Combobox.EventsTarget>
                <PillsInput.Field
                  {...{ id, value: text, onKeyDown, autoComplete: 'off' }}
                  autoFocus={props.hasFocus ?? false}
                  onChange={({ currentTarget }) => {
                    setText(currentTarget.value);
                    setIsUnusable(false);
                    combobox.openDropdown();
                  }}
                  onBlur={() => {
                    combobox.closeDropdown();
                    take(text);
                  }}
                  onPaste={(event) => {
                    if (take(event.clipboardData.getData('text'))) event.preventDefault();
                  }}
                />
              </Combobox.EventsTarget>
            </Pill.Group>
          </PillsInput>
        </Combobox.DropdownTarget>
        <Suggestions options={options} />
      </Combobox>
      {props.aside}
    </div>
  );
}

const RecipientPill = (props: { address: Address; onRemove: () => void }): ReactElement => (
  <Pill
    {...{ withRemoveButton: true, onRemove: props.onRemove, title: props.address.email }}
    bg="light-dark(var(--mantine-color-gray-1), var(--mantine-color-dark-5))"
    removeButtonProps={{
      ...{ 'aria-label': `Remove ${props.address.email}`, tabIndex: 0 },
      'aria-hidden': undefined,
    }}
  >
    <bdi>{props.address.name ?? props.address.email}</bdi>
  </Pill>
);

const Suggestions = ({ options }: { options: readonly Address[] }): ReactElement => (
  <Combobox.Dropdown hidden={options.length === 0}>
    <Combobox.Options>
      {options.map(({ email, name }) => (
        <Combobox.Option value={email} key={email}>
          <Text size="sm" truncate>
            <bdi>{name ?? email}</bdi>{' '}
            <Text span size="xs" c="dimmed">
              {name === null ? '' : email}
            </Text>
          </Text>
        </Combobox.Option>
      ))}
    </Combobox.Options>
  </Combobox.Dropdown>
);

/** People of the address books whose name or address has these words. */
function useContacts(text: string, chosen: readonly Address[]): readonly Address[] {
  const [q] = useDebouncedValue(text.trim(), 150);
  const { data } = useQuery({
    queryKey: ['contacts', 'suggested', q],
    queryFn: ({ signal }) => api.get<ContactList>('/v1/contacts', { q }, signal),
    enabled: q.length > 1,
  });
  // Those of what was typed before would be taken by mistake.
  if (!data || text.trim() !== q) return [];
  const known = new Set(chosen.map(({ email }) => email.toLowerCase()));
  return data.contacts
    .flatMap(({ displayName, emails }) =>
      emails.map(({ value }) => addressOf({ email: value, name: displayName || null })),
    )
    .filter(({ email }, i, all) => all.findIndex((one) => one.email === email) === i)
    .filter(({ email }) => !known.has(email.toLowerCase()))
    .slice(0, 8);
}
