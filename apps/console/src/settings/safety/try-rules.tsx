import type { DlpTrialList } from '@postroom/contracts';
import { Alert, Badge, Button, Code, Group, Stack, Text, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api } from '../../api/api.js';
import { Row, Rows } from '../../ui/row.js';
import { Section } from '../../ui/page.js';
import { ErrorState } from '../../ui/states.js';

/** Shows which rules a text would set off; nothing is sent. */
export function TryRules(): ReactElement {
  const [text, setText] = useState('');
  const trial = useMutation({
    mutationFn: () => api.post<DlpTrialList>('/dlp-rules/try', { text }),
  });
  return (
    <Section
      title="Try the rules"
      about="Which rules a message with this text would set off. Nothing is sent."
    >
      <Textarea
        {...{ label: 'Text', autosize: true, minRows: 3, maxRows: 10, maxLength: 100_000 }}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          trial.reset();
        }}
      />
      <Group>
        <Button
          {...{ variant: 'default', loading: trial.isPending, disabled: text === '' }}
          onClick={() => trial.mutate()}
        >
          Try it
        </Button>
      </Group>
      <Stack gap="xs" role="status">
        {trial.error && <ErrorState error={trial.error} />}
        {trial.data?.hits.length === 0 && <Alert color="teal">No rule would hold it back.</Alert>}
        {trial.data && trial.data.hits.length > 0 && <Hits hits={trial.data.hits} />}
      </Stack>
    </Section>
  );
}

const Hits = ({ hits }: { hits: DlpTrialList['hits'] }): ReactElement => (
  <Rows label="Rules that hit">
    {hits.map(({ ruleId, name, action, enabled, count, excerpts }) => (
      <Row
        key={ruleId}
        title={
          <>
            <bdi>{name}</bdi> {action === 'block' ? 'would refuse it' : 'would warn'}
            {!enabled && ', if it were on'}
          </>
        }
        about={
          <Group gap={6}>
            <Text size="xs">{count === 1 ? 'Once:' : `${count} times:`}</Text>
            {excerpts.map((excerpt, i) => (
              <Code key={i}>{excerpt}</Code>
            ))}
          </Group>
        }
      >
        <Badge variant="light" color={action === 'block' ? 'red' : 'yellow'}>
          {action === 'block' ? 'Refuses' : 'Warns'}
        </Badge>
      </Row>
    ))}
  </Rows>
);
