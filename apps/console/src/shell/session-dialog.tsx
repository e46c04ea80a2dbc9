import type { Member } from '@postroom/contracts';
import { Alert, Anchor, Button, Modal, Stack, Text } from '@mantine/core';
import { useCallback, useState, useSyncExternalStore, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { giveUpProof, resume, sessionState, type SessionNeed } from '../api/session.js';
import { useOtherTabs } from './other-tabs.js';
import { SignInAgain } from './sign-in-again.js';
import { StepUp } from './step-up.js';

const titles: Readonly<Record<SessionNeed, string>> = {
  'sign-in': 'Your session has ended',
  'step-up': 'Confirm that it is you',
  enrolment: 'A second factor is needed',
};

/** Whatever the session needs, asked for over the page: nothing that was typed is lost. */
export function SessionDialog(): ReactElement {
  const need = useSyncExternalStore(sessionState.subscribe, sessionState.need);
  const { member } = useAccount();
  const [other, setOther] = useState<Member | null>(null);
  useOtherTabs(
    member.id,
    useCallback((signedIn) => setOther(signedIn), []),
  );
  const canClose = need === 'step-up';
  return (
    <Modal
      {...{ opened: need !== null, onClose: giveUpProof, withCloseButton: canClose }}
      {...{ closeOnEscape: canClose, closeOnClickOutside: false, zIndex: 400 }}
      title={need && titles[need]}
    >
      {need === 'sign-in' && (
        <Stack>
          {other && <AnotherMember member={other} />}
          <SignInAgain onOther={setOther} />
        </Stack>
      )}
      {need === 'step-up' && <StepUp />}
      {need === 'enrolment' && <Enrolment />}
    </Modal>
  );
}

function AnotherMember({ member }: { member: Member }): ReactElement {
  const { member: owner } = useAccount();
  return (
    <Alert color="red" role="alert" title="Somebody else signed in">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          <bdi>{member.name}</bdi> is signed in now, and this page is that of{' '}
          <bdi>{owner.name}</bdi>. Sign in as <bdi>{owner.name}</bdi> below to go on here, or load
          the page anew; what you were writing is lost then.
        </Text>
        <Button size="xs" variant="default" onClick={() => location.assign('/')}>
          Go on as <bdi>{member.name}</bdi>
        </Button>
      </Stack>
    </Alert>
  );
}

const Enrolment = (): ReactElement => (
  <Stack>
    <Text size="sm">
      Your workspace asks everybody for a second factor now.{' '}
      <Anchor href="/enrolment?next=%2Fsign-in" target="_blank" rel="noreferrer">
        Set yours up in a new tab
      </Anchor>
      , then come back; what you were writing is still here.
    </Text>
    <Button onClick={() => resume('enrolment')}>I have set it up</Button>
  </Stack>
);
