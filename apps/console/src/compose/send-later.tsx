import { Modal } from '@mantine/core';
import { lazy, Suspense, type ReactElement } from 'react';
import { Loading } from '../ui/states.js';

const ChooseTime = lazy(async () => ({ default: (await import('./choose-time.js')).ChooseTime }));

/** Asks when a message is to leave. */
export const SendLater = (props: {
  isOpen: boolean;
  onClose: () => void;
  /** Called with the time, ISO 8601. */
  onChoose: (at: string) => void;
}): ReactElement => (
  <Modal opened={props.isOpen} onClose={props.onClose} title="Send later">
    {props.isOpen && (
      <Suspense fallback={<Loading />}>
        <ChooseTime onChoose={props.onChoose} />
      </Suspense>
    )}
  </Modal>
);
