import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { ApiProblem } from '../api/problem.js';
import { Icon } from '../ui/icons.js';
import { ErrorState } from '../ui/states.js';
import { Conflict } from './conflict.js';
import type { DraftSession, SessionState } from './draft-session.js';
import { reasonText } from './words.js';

/** Obstacles of a message, above it. */
export function Banners(props: {
  session: DraftSession;
  state: SessionState;
  error: unknown;
}): ReactElement | null {
  const { session, state } = props;
  const { sendOpen } = useAccount().workspace;
  const error: unknown = props.error ?? state.error;
  const fields = error instanceof ApiProblem ? error.details.length : 0;
  const isGone = error instanceof ApiProblem && error.code === 'DRAFT_NOT_FOUND';
  return (
    <Stack gap={6} px="sm" pt={6}>
      {!sendOpen && (
        <Alert color="yellow" variant="light" p="xs" icon={<Icon name="pause" />}>
          Sending is closed for the whole workspace. You can write; it stays a draft until an
          administrator opens sending again.
        </Alert>
      )}
      {state.failure !== null && (
        <Alert color="red" variant="light" p="xs" icon={<Icon name="warning" />}>
          This message has not left. {reasonText(state.failure)}
        </Alert>
      )}
      {state.conflict && <Conflict {...{ session, state, theirs: state.conflict }} />}
      {isGone ? (
        <Gone onBegin={() => session.continueInNewDraft()} />
      ) : (
        error !== null && fields === 0 && <ErrorState error={error} />
      )}
    </Stack>
  );
}

const Gone = ({ onBegin }: { onBegin: () => void }): ReactElement => (
  <Alert color="yellow" variant="light" p="xs" icon={<Icon name="warning" />}>
    <Group justify="space-between">
      <Text size="sm">
        A colleague has sent or removed this draft. What you wrote is still here.
      </Text>
      <Button size="compact-sm" variant="default" onClick={onBegin}>
        Keep it as a new draft
      </Button>
    </Group>
  </Alert>
);
