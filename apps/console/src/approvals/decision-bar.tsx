import { Button, Group, Kbd, Stack, Text, Textarea } from '@mantine/core';
import type { ApprovalRequest } from '@postroom/contracts';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { useShortcuts } from '../shell/shortcuts.js';
import { useUnsavedText } from '../shell/unsaved.js';
import { Icon } from '../ui/icons.js';
import { ErrorState } from '../ui/states.js';
import { approvalIn, useDecision, type Decision } from './decide.js';
import style from './approvals.module.css';

/** A second click would decide about the next request, whose button stands in the same place. */
const unseenMs = 700;

/** True as soon as the request has been shown for long enough to be seen. */
function useIsSeen(): boolean {
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsSeen(true), unseenMs);
    return () => clearTimeout(timer);
  }, []);
  return isSeen;
}

/** Approve, change, or reject with a reason. `a` moves the focus alone: Enter decides, since it cannot be undone. */
export function DecisionBar(props: {
  approval: ApprovalRequest;
  /** The reason against it, as it is typed. */
  reason: string;
  onReason: (reason: string) => void;
  onDecided: () => void;
  onChange: () => void;
}): ReactElement {
  const { approval, reason, onReason, onDecided, onChange } = props;
  const approve = useRef<HTMLButtonElement>(null);
  const [isRejecting, setIsRejecting] = useState(reason !== '');
  const decision = useDecision(approval, onDecided);
  const isSeen = useIsSeen();
  useShortcuts([
    { keys: 'a', label: 'Go to Approve; Enter then approves', run: () => approve.current?.focus() },
    { keys: 'r', label: 'Reject, with a reason', run: () => setIsRejecting(true) },
    { keys: 'e', label: 'Change before approving', run: onChange },
  ]);
  const decide = (made: Decision): void => {
    if (!decision.isPending) decision.mutate(made);
  };
  return (
    <div className={style.bar}>
      <Stack gap="sm">
        {decision.error && !approvalIn(decision.error) && <ErrorState error={decision.error} />}
        {isRejecting ? (
          <RejectForm
            {...{ reason, onReason, isSending: decision.isPending }}
            onReject={(comment) => decide({ verb: 'reject', comment })}
            onCancel={() => {
              setIsRejecting(false);
              onReason('');
              approve.current?.focus();
            }}
          />
        ) : (
          <Group gap="xs" className="in-one-line">
            <Button
              {...{ ref: approve, color: 'teal.9', loading: decision.isPending }}
              {...{ 'aria-disabled': !isSeen, leftSection: <Icon name="check" /> }}
              onClick={() => isSeen && decide({ verb: 'approve' })}
            >
              Approve
            </Button>
            <Button
              variant="default"
              leftSection={<Icon name="edit" size={16} />}
              onClick={onChange}
            >
              Change first
            </Button>
            <Button
              {...{ variant: 'subtle', color: 'red' }}
              onClick={() => setIsRejecting(true)}
              disabled={decision.isPending}
            >
              Reject…
            </Button>
            <Text size="xs" c="dimmed" visibleFrom="md" ml="auto">
              <Kbd size="xs">A</Kbd> <Kbd size="xs">Enter</Kbd> approves
            </Text>
          </Group>
        )}
      </Stack>
    </div>
  );
}

function RejectForm(props: {
  reason: string;
  onReason: (reason: string) => void;
  isSending: boolean;
  onReject: (reason: string) => void;
  onCancel: () => void;
}): ReactElement {
  const { reason, onReason, isSending, onReject, onCancel } = props;
  useUnsavedText(reason !== '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (reason.trim() !== '') onReject(reason.trim());
      }}
    >
      <Textarea
        {...{ label: 'Why not?', description: 'The agent is told.', autosize: true, minRows: 2 }}
        {...{ maxRows: 8, maxLength: 2000, required: true, value: reason, autoFocus: true }}
        onChange={({ currentTarget: { value } }) => onReason(value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel();
          else if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }
        }}
      />
      <Group gap="xs" mt="xs">
        <Button
          {...{
            type: 'submit',
            color: 'red.9',
            loading: isSending,
            disabled: reason.trim() === '',
          }}
        >
          Reject
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}
