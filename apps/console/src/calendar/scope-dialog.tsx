import { Button, Modal, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';

export type Scope = 'this' | 'following' | 'all';

const names: Readonly<Record<Scope, string>> = {
  this: 'This one',
  following: 'This and following',
  all: 'All of the series',
};

/** The question which occurrences of a series a change is for. */
export const ScopeDialog = (props: {
  title: string;
  /** The changed fields, where one occurrence alone cannot have them. */
  needsSeries?: boolean;
  onChoose: (scope: Scope) => void;
  onClose: () => void;
}): ReactElement => (
  <Modal opened onClose={props.onClose} title={props.title} size="sm">
    <Stack gap="xs">
      <Text size="sm">
        {props.needsSeries
          ? 'Repetition, alarms and calendar belong to the series as a whole.'
          : 'It is one of a series. Which of them shall it be?'}
      </Text>
      {(['this', 'following', 'all'] as const)
        .filter((scope) => scope !== 'this' || !props.needsSeries)
        .map((scope) => (
          <Button key={scope} variant="default" onClick={() => props.onChoose(scope)}>
            {names[scope]}
          </Button>
        ))}
    </Stack>
  </Modal>
);
