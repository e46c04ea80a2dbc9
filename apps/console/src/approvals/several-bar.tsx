import { Box, Button, Group, Modal, Stack, Table, Text, Textarea } from '@mantine/core';
import type { ApprovalRequest, DecidedApprovals } from '@postroom/contracts';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, newIdempotencyKey } from '../api/api.js';
import { MarkedText } from '../ui/marked-text.js';
import { ErrorState } from '../ui/states.js';
import { headlineOf, titleOf } from './request/headline.js';
import type { Selection } from './selection.js';
import { SeveralEffect } from './several-effect.js';

type Verb = 'approve' | 'reject';

/** Decides about all that are selected, and shows what came of each. */
export function SeveralBar(props: {
  selection: Selection;
  items: readonly ApprovalRequest[];
}): ReactElement {
  const { selection, items } = props;
  const [verb, setVerb] = useState<Verb | null>(null);
  const asked = items.filter(({ id }) => selection.ids.includes(id));
  const close = (): void => {
    setVerb(null);
    selection.clear();
  };
  return (
    <>
      {asked.length > 0 && (
        <Box px="md" py="xs" style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}>
          <Group gap="xs">
            <Button size="xs" color="teal.9" onClick={() => setVerb('approve')}>
              Approve {asked.length}…
            </Button>
            <Button size="xs" variant="default" onClick={() => setVerb('reject')}>
              Reject {asked.length}…
            </Button>
            <Button size="xs" variant="subtle" onClick={selection.clear}>
              Clear
            </Button>
          </Group>
        </Box>
      )}
      {/* It outlives the bar: what was decided leaves the queue, and its outcome stays on the page. */}
      <Modal
        {...{ opened: verb !== null, size: 'lg', onClose: () => setVerb(null) }}
        title={`${verb === 'reject' ? 'Reject' : 'Approve'} several requests`}
      >
        {verb && <DecideSeveral {...{ verb, asked }} onDone={close} />}
      </Modal>
    </>
  );
}

function DecideSeveral(props: {
  verb: Verb;
  asked: readonly ApprovalRequest[];
  onDone: () => void;
}): ReactElement {
  const { verb, onDone } = props;
  // Those that were selected when it was opened: decided ones leave the queue meanwhile.
  const [asked] = useState(props.asked);
  const [comment, setComment] = useState('');
  const [idempotencyKey] = useState(newIdempotencyKey);
  const decision = useMutation({
    mutationFn: () =>
      api.post<DecidedApprovals>(
        '/approvals/decide',
        { ids: asked.map(({ id }) => id), decision: verb, ...(comment.trim() && { comment }) },
        { idempotencyKey },
      ),
  });
  const outcomes = new Map(decision.data?.items.map((item) => [item.id, item]));
  const isReady = verb === 'approve' || comment.trim() !== '';
  return (
    <Stack>
      <Table>
        <Table.Tbody>
          {asked.map((approval) => (
            <Table.Tr key={approval.id}>
              <Table.Td>
                <Text size="sm" fw={500}>
                  {headlineOf(approval)}
                </Text>
                <Text size="xs" c="dimmed">
                  <MarkedText text={titleOf(approval) ?? ''} /> ·{' '}
                  <MarkedText text={approval.requestedBy.name} />
                </Text>
                <SeveralEffect approval={approval} />
              </Table.Td>
              <Table.Td ta="right">
                <OutcomeOf outcome={outcomes.get(approval.id)} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {!decision.data && (
        <Textarea
          {...{ label: verb === 'reject' ? 'Why not?' : 'Comment', autosize: true, minRows: 2 }}
          {...{ required: verb === 'reject', maxLength: 2000, value: comment }}
          onChange={({ currentTarget }) => setComment(currentTarget.value)}
          data-autofocus
        />
      )}
      {decision.error && <ErrorState error={decision.error} />}
      <Group justify="flex-end">
        {decision.data ? (
          <Button onClick={onDone}>Close</Button>
        ) : (
          <Button
            {...{ color: verb === 'reject' ? 'red.9' : 'teal.9', loading: decision.isPending }}
            {...{ disabled: !isReady, onClick: () => decision.mutate() }}
          >
            {verb === 'reject' ? 'Reject' : 'Approve'} {asked.length}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

const refusals: Readonly<Record<string, string>> = {
  APPROVAL_CLOSED: 'decided before',
  APPROVAL_NOT_FOUND: 'not found',
};

/** The outcome of one. */
function OutcomeOf(props: {
  outcome: DecidedApprovals['items'][number] | undefined;
}): ReactElement | null {
  if (!props.outcome) return null;
  const { state, code } = props.outcome;
  const isGood = code === null && state !== 'failed' && state !== 'refused';
  return (
    <Text size="sm" c={isGood ? 'teal.9' : 'red'} fw={500}>
      {code === null ? (state ?? '') : `${refusals[code] ?? code}${state ? `: ${state}` : ''}`}
    </Text>
  );
}
