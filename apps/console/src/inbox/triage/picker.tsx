import { Modal, ScrollArea, Text, TextInput } from '@mantine/core';
import { useState, type KeyboardEvent, type ReactElement } from 'react';
import { Icon, type IconName } from '../../ui/icons.js';
import classes from '../inbox.module.css';

/** One of the choices of a picker. */
export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  readonly icon: IconName;
  readonly isSet?: boolean;
  readonly run: () => void;
}

interface PickerProps {
  readonly title: string;
  readonly placeholder: string;
  readonly choices: readonly Choice[];
  /** A choice made of what was typed, where no other has that name. */
  readonly fromText?: (text: string) => Choice | null;
  /** The sentence that stands where no choice is left. */
  readonly nothing?: string;
  readonly onClose: () => void;
}

/** A short list that is narrowed by typing, and chosen from with Enter. The field has the focus before the next key. */
export const Picker = (props: PickerProps): ReactElement => (
  <Modal
    {...{ opened: true, onClose: props.onClose, title: props.title, size: 420, yOffset: '12dvh' }}
    {...{ centered: false, padding: 'sm', transitionProps: { duration: 0 } }}
  >
    <Choices {...props} />
  </Modal>
);

function Choices({ placeholder, choices, fromText, nothing, onClose }: PickerProps): ReactElement {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const wanted = text.trim().toLowerCase();
  const found = choices.filter(({ label, detail }) =>
    `${label} ${detail ?? ''}`.toLowerCase().includes(wanted),
  );
  const made = wanted === '' ? null : (fromText?.(text.trim()) ?? null);
  const shown = made ? [...found, made] : found;
  const current = Math.min(at, Math.max(0, shown.length - 1));
  const choose = (choice: Choice | undefined): void => {
    if (!choice) return;
    onClose();
    choice.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') choose(shown[current]);
    if (step === undefined) return;
    event.preventDefault();
    setAt(Math.min(shown.length - 1, Math.max(0, current + step)));
  };
  return (
    <>
      <TextInput
        {...{
          value: text,
          placeholder,
          onKeyDown,
          role: 'combobox',
          'data-autofocus': true,
          autoFocus: true,
        }}
        {...{ 'aria-label': placeholder, 'aria-controls': 'picker', 'aria-expanded': true }}
        aria-activedescendant={shown[current] ? `picker-${current}` : undefined}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
      />
      <ScrollArea.Autosize mah="50dvh" mt="xs" type="auto">
        <div role="listbox" id="picker" aria-label={placeholder}>
          {shown.map((choice, i) => (
            <Option
              key={choice.id}
              {...{ choice, index: i, isCurrent: i === current }}
              onChoose={() => choose(choice)}
            />
          ))}
        </div>
        {shown.length === 0 && (
          <Text size="sm" c="dimmed" p="xs">
            {nothing ?? 'Nothing of that name.'}
          </Text>
        )}
      </ScrollArea.Autosize>
    </>
  );
}

const Option = (props: {
  choice: Choice;
  index: number;
  isCurrent: boolean;
  onChoose: () => void;
}): ReactElement => {
  const { choice, index, isCurrent, onChoose } = props;
  return (
    <div
      {...{ role: 'option', id: `picker-${index}`, className: classes.choice, onClick: onChoose }}
      aria-selected={isCurrent}
    >
      <Icon name={choice.icon} size={16} />
      <Text size="sm" truncate component="span">
        <bdi>{choice.label}</bdi>
      </Text>
      {choice.detail !== undefined && (
        <Text size="xs" c="dimmed" truncate ml="auto" component="span">
          {choice.detail}
        </Text>
      )}
      {choice.isSet === true && <Icon name="check" size={14} />}
    </div>
  );
};
