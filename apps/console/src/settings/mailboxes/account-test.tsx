import type { AccountTest, AccountTestStep, TestMailboxAccount } from '@postroom/contracts';
import { Box, Group, Loader, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { api } from '../../api/api.js';
import { Icon, type IconName } from '../../ui/icons.js';

type Server = AccountTestStep['server'];
type Given = Pick<TestMailboxAccount, 'imap' | 'outgoing'>;

/** The lines of a test as they come: each server answers for itself. */
export interface TestRun {
  readonly lines: Readonly<Partial<Record<Server, readonly AccountTestStep[] | 'running'>>>;
  /** @returns whether every step went well */
  readonly run: (given: Given) => Promise<boolean>;
}

/** Tries the servers of an account side by side. */
export function useAccountTest(mailboxId: string): TestRun {
  const [lines, setLines] = useState<TestRun['lines']>({});
  const one = async (server: Server, given: Given[Server]): Promise<boolean> => {
    const input = { [server]: given };
    const { ok, steps } = await api.post<AccountTest>(`/mailboxes/${mailboxId}/test`, input);
    setLines((before) => ({ ...before, [server]: steps }));
    return ok;
  };
  const run = async ({ imap, outgoing }: Given): Promise<boolean> => {
    setLines({ ...(imap && { imap: 'running' }), ...(outgoing && { outgoing: 'running' }) });
    try {
      const outcomes = await Promise.all([
        imap ? one('imap', imap) : true,
        outgoing ? one('outgoing', outgoing) : true,
      ]);
      return outcomes.every(Boolean);
    } catch (error) {
      setLines({});
      throw error;
    }
  };
  return { lines, run };
}

const serverNames = { imap: 'Arriving mail (IMAP)', outgoing: 'Outgoing mail (SMTP)' } as const;
const icons: Readonly<Record<AccountTestStep['outcome'], readonly [IconName, string, string]>> = {
  ok: ['check', 'teal', 'Done:'],
  failed: ['warning', 'red', 'Failed:'],
  skipped: ['pause', 'dimmed', 'Not tried:'],
};

/** The steps at each server, with its words and the way out of a fault. */
export const TestLines = ({ lines }: Pick<TestRun, 'lines'>): ReactElement => (
  <Stack gap="sm" aria-live="polite" aria-label="Test of the account" role="log">
    {(['imap', 'outgoing'] as const).map((server) => {
      const steps = lines[server];
      return (
        steps && (
          <Box key={server}>
            <Text size="sm" fw={600}>
              {serverNames[server]}
            </Text>
            {steps === 'running' ? (
              <Group gap="xs">
                <Loader size={14} />
                <Text size="sm">Trying it, for 20 seconds at most</Text>
              </Group>
            ) : (
              steps.map((step) => <Line key={step.step} step={step} />)
            )}
          </Box>
        )
      );
    })}
  </Stack>
);

const Line = ({ step }: { step: AccountTestStep }): ReactElement => {
  const [icon, color, label] = icons[step.outcome];
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Text c={color} component="span" lh={1} pt={3}>
        <Icon name={icon} size={16} />
      </Text>
      <Box miw={0}>
        <Text size="sm" c={step.outcome === 'skipped' ? 'dimmed' : ''}>
          <VisuallyHidden>{label} </VisuallyHidden>
          {step.tried}
        </Text>
        {step.said !== null && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {step.outcome === 'failed' ? 'The server said: ' : ''}
            <bdi>{step.said}</bdi>
          </Text>
        )}
        {step.advice !== null && <Text size="sm">{step.advice}</Text>}
      </Box>
    </Group>
  );
};
