import type { ConsentEnd } from '@postroom/contracts';
import { Alert, Anchor } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';

const outcomes: Readonly<Record<ConsentEnd['outcome'], readonly [string, string]>> = {
  connected: ['teal', 'The mailbox is connected: its mail is being read.'],
  refused: [
    'red',
    'The provider gave no consent, or none that lasts. The mailbox is not connected.',
  ],
  over: [
    'yellow',
    'That consent was begun elsewhere, used before, or took longer than ten minutes. Begin again.',
  ],
  taken: ['red', 'Another mailbox reads this account already. Disconnect that one first.'],
  down: ['yellow', 'The provider could not be reached. Try again in a minute.'],
};

const isOutcome = (given: string): given is ConsentEnd['outcome'] => Object.hasOwn(outcomes, given);

/** The outcome of a consent, when a provider's page has led back. */
export function ConsentOutcome(): ReactElement | null {
  const { consent, mailbox } = useSearch({ from: '/shell/settings/mailboxes' });
  const navigate = useNavigate();
  if (consent === undefined || !isOutcome(consent)) return null;
  const [color, text] = outcomes[consent];
  return (
    <Alert
      {...{ color, variant: 'light', role: 'status', withCloseButton: true }}
      closeButtonLabel="Dismiss"
      onClose={() => void navigate({ to: '/settings/mailboxes', search: {}, replace: true })}
    >
      {text}{' '}
      {mailbox !== undefined && (
        <Anchor component={Link} to={`/settings/mailboxes/${mailbox}`} size="sm">
          Open the mailbox
        </Anchor>
      )}
    </Alert>
  );
}
