import { Button, Group, Popover, Stack, Text, type ButtonProps } from '@mantine/core';
import { useState, type ReactElement, type ReactNode } from 'react';
import { tellFailure } from './notices.js';

/** A button for what cannot be undone: it says what would happen, and asks once more. */
export function ConfirmButton(props: {
  label: ReactNode;
  /** Its name for screen readers, where its text alone does not say what it is about. */
  name?: string;
  question: ReactNode;
  confirm: string;
  onConfirm: () => Promise<unknown>;
  button?: ButtonProps;
}): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const run = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await props.onConfirm();
      setIsOpen(false);
    } catch (error) {
      tellFailure(error);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Popover opened={isOpen} onChange={setIsOpen} width={300} trapFocus withArrow shadow="md">
      <Popover.Target>
        <Button
          {...{ size: 'xs', variant: 'default', 'aria-label': props.name, ...props.button }}
          onClick={() => setIsOpen(!isOpen)}
        >
          {props.label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={props.confirm}>
        <Stack gap="xs">
          <Text size="sm" component="div">
            {props.question}
          </Text>
          <Group gap="xs" justify="flex-end">
            <Button size="xs" variant="default" onClick={() => setIsOpen(false)}>
              Keep
            </Button>
            <Button size="xs" color="red" loading={isBusy} onClick={() => void run()}>
              {props.confirm}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The two buttons of a thing in a list that has a form. */
export const ChangeOrRemove = (props: {
  name: string;
  question: string;
  onChange: () => void;
  onRemove: () => Promise<unknown>;
}): ReactElement => (
  <>
    <Button
      {...{ size: 'xs', variant: 'default', 'aria-label': `Change ${props.name}` }}
      onClick={props.onChange}
    >
      Change
    </Button>
    <ConfirmButton
      {...{ label: 'Remove', name: `Remove ${props.name}`, confirm: 'Remove it' }}
      {...{ question: props.question, onConfirm: props.onRemove }}
    />
  </>
);
