import type { TaskCreated } from '@postroom/contracts';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { Temporal } from 'temporal-polyfill';
import { useAccount } from '../api/account.js';
import { api, newIdempotencyKey } from '../api/api.js';
import { messageOf } from '../api/problem.js';
import { ruleInWords } from '../calendar/repetition/words.js';
import { tellDone } from '../ui/notices.js';
import { browserZone } from '../ui/time.js';
import { useUnsavedText } from '../shell/unsaved.js';
import { dueInWords } from './due.js';
import { readLine, type QuickTask } from './quick-line.js';

export const quickAddId = 'quick-add';

/** A new task by one line, with what was understood of it below. */
export function QuickAdd(props: {
  teamId?: string | undefined;
  threadId?: string | undefined;
}): ReactElement {
  const { members, member } = useAccount();
  const client = useQueryClient();
  const [line, setLine] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [idempotencyKey, setKey] = useState(newIdempotencyKey);
  const task = readLine(line, members, Temporal.Now.zonedDateTimeISO(browserZone));
  useUnsavedText(line.trim() !== '');
  const add = async (): Promise<void> => {
    setIsBusy(true);
    setFault(null);
    const { teamId, threadId } = props;
    const body = {
      ...{ ...task, teamId, threadId, timeZone: browserZone },
      assignee: task.assignee ?? (teamId === undefined ? member.email : null),
      recurrence: task.recurrence && { ...task.recurrence, timeZone: browserZone },
    };
    try {
      const { existed } = await api.post<TaskCreated>('/v1/tasks', body, { idempotencyKey });
      if (existed) tellDone('The conversation has a task of this title already.');
      setLine('');
      setKey(newIdempotencyKey());
      await client.invalidateQueries({ queryKey: ['tasks'] });
    } catch (error) {
      setFault(messageOf(error));
    }
    setIsBusy(false);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (task.title !== '') void add();
      }}
    >
      <Stack gap={4}>
        <Group gap="xs" wrap="nowrap" align="flex-end">
          <TextInput
            {...{ id: quickAddId, flex: 1, label: 'New task', value: line, error: fault }}
            {...{ maxLength: 300, autoComplete: 'off' }}
            placeholder="Call Claire tomorrow 14:00 !high @ada"
            onChange={({ currentTarget }) => setLine(currentTarget.value)}
            onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
          />
          <Button type="submit" loading={isBusy} disabled={task.title === ''}>
            Add
          </Button>
        </Group>
        <Text {...{ size: 'xs', c: 'dimmed', mih: 18 }} aria-live="polite">
          {line.trim() === ''
            ? 'A day, a time, “every Monday”, !low !high !urgent and @name are understood.'
            : understood(task)}
        </Text>
      </Stack>
    </form>
  );
}

function understood({ title, dueMs, priority, assignee, recurrence }: QuickTask): string {
  const parts = [
    title === '' ? 'No title yet' : `“${title}”`,
    dueMs !== null && `due ${dueInWords(dueMs)}`,
    recurrence &&
      ruleInWords({
        ...{ freq: recurrence.freq ?? 'daily', interval: 1, byDay: recurrence.byDay ?? [] },
        ...{ byMonthDay: [], byMonth: [], timeZone: browserZone },
      }).toLowerCase(),
    priority !== 'normal' && `${priority} priority`,
    assignee !== null && `for ${assignee}`,
  ];
  return parts.filter(Boolean).join(', ');
}
