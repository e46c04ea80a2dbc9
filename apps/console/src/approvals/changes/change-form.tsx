import { Box, Button, Divider, Group, Kbd, Stack, Text } from '@mantine/core';
import type { ApprovalRequest } from '@postroom/contracts';
import { useState, type ReactElement } from 'react';
import { fieldErrorsOf } from '../../api/problem.js';
import { useUnsavedText } from '../../shell/unsaved.js';
import { Icon } from '../../ui/icons.js';
import { ErrorState } from '../../ui/states.js';
import { approvalIn, useDecision } from '../decide.js';
import { ShownValue } from '../request/field-value.js';
import { labelOf } from '../request/fields.js';
import type { Fields } from '../request/headline.js';
import style from '../request/request.module.css';
import { EditField } from './edit-field.js';
import { editablesOf, withChanges } from './editable.js';

/** Changes what the agent asked for, shows how it differs, and approves it so. */
export function ChangeForm(props: {
  approval: ApprovalRequest;
  onDecided: () => void;
  onCancel: () => void;
}): ReactElement {
  const { approval, onDecided, onCancel } = props;
  const fields = editablesOf(approval.payload);
  const [changes, setChanges] = useState<Fields>({});
  const decision = useDecision(approval, onDecided);
  const payload = withChanges(approval.payload, changes);
  const isChanged = differencesOf(approval.payload, payload).length > 0;
  const errors = fieldErrorsOf(decision.error);
  useUnsavedText(isChanged);
  if (fields.length === 0) return <NothingToChange onCancel={onCancel} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged && !decision.isPending) decision.mutate({ verb: 'approve', payload });
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel();
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
          event.currentTarget.requestSubmit();
      }}
    >
      <Stack gap="sm">
        {fields.map((field, at) => (
          <Box key={field.path} data-autofocus={at === 0 || undefined}>
            <EditField
              {...{ field, error: errors[`payload.${field.path}`] ?? errors[field.path] }}
              value={changes[field.path] ?? field.value}
              onChange={(value) => setChanges({ ...changes, [field.path]: value })}
            />
          </Box>
        ))}
        {isChanged && (
          <Box role="group" aria-label="Your changes">
            <Divider
              my="xs"
              label="Your changes to what the agent asked for"
              labelPosition="left"
            />
            <Differences before={approval.payload} after={payload} />
          </Box>
        )}
        {decision.error && !approvalIn(decision.error) && <ErrorState error={decision.error} />}
        <Group gap="xs">
          <Button
            {...{ type: 'submit', color: 'teal.9', loading: decision.isPending }}
            {...{ disabled: !isChanged, leftSection: <Icon name="check" /> }}
          >
            Approve with changes
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Text size="xs" c="dimmed" visibleFrom="md" ml="auto">
            <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd> approve so
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

const NothingToChange = ({ onCancel }: { onCancel: () => void }): ReactElement => (
  <Stack gap="sm" align="flex-start">
    <Text size="sm">
      This request has nothing that could be changed: approve it as it is, or reject it.
    </Text>
    <Button variant="default" onClick={onCancel} autoFocus>
      Back
    </Button>
  </Stack>
);

interface Difference {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

const isInner = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields by which two requests differ. */
function differencesOf(before: Fields, after: Fields): readonly Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    if (isInner(old) && isInner(now)) return differencesOf(old, now);
    return [{ name, before: old, after: now }];
  });
}

/** The changes of a member to what the agent asked for. */
export const Differences = (props: { before: Fields; after: Fields }): ReactElement => (
  <dl className={style.fields}>
    {differencesOf(props.before, props.after).map((field) => (
      <Box key={field.name} display="contents">
        <dt>{labelOf(field.name)}</dt>
        <dd>
          <ShownValue kind="update" field={field} />
        </dd>
      </Box>
    ))}
  </dl>
);
