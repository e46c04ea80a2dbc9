import type { Draft } from '@postroom/contracts';
import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { Icon } from '../ui/icons.js';
import { shortTime } from '../ui/time.js';
import { contentOf, type Content } from './content.js';
import type { DraftSession, SessionState } from './draft-session.js';
import { textOfQuote } from './quote.js';
import { nameOfRecipients } from './words.js';

/** Both versions of a draft that another member has changed meanwhile, to choose one. */
export function Conflict(props: {
  session: DraftSession;
  state: SessionState;
  theirs: Draft;
}): ReactElement {
  const { session, state, theirs } = props;
  return (
    <Alert
      {...{ color: 'orange', variant: 'light', p: 'xs', icon: <Icon name="warning" /> }}
      title={`Somebody else changed this draft at ${shortTime(new Date(theirs.updatedAt))}`}
    >
      <Stack gap="xs">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Version title="Yours" content={state.content} />
          <Version title="Theirs" content={contentOf(theirs)} />
        </SimpleGrid>
        <Group gap="xs">
          <Button size="compact-sm" onClick={() => session.settle('mine')}>
            Keep mine
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => session.settle('theirs')}>
            Take theirs
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

const Version = ({ title, content }: { title: string; content: Content }): ReactElement => (
  <div style={{ overflowWrap: 'anywhere' }}>
    <Text size="sm" fw={600}>
      {title}
    </Text>
    <Text size="xs" c="dimmed">
      To {nameOfRecipients(content)} · {content.subject || 'no subject'}
    </Text>
    <Text size="sm" lineClamp={8} style={{ whiteSpace: 'pre-wrap' }}>
      {textOfQuote(content.html) || 'no text'}
    </Text>
  </div>
);
