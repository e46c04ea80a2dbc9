import { lazy, Suspense, useEffect, useState, type ReactElement } from 'react';
import { useStreamEvents } from '../stream/stream.js';
import { keptKey } from '../shell/unsaved.js';
import { onOpenPanel, type PanelRequest } from './open-composer.js';

const NewMessagePanel = lazy(async () => ({
  default: (await import('./new-message-panel.js')).NewMessagePanel,
}));

/** The place over every page where a new message is written; what was written in it before a reload is found again. */
export function PanelDock(): ReactElement | null {
  const [request, setRequest] = useState<PanelRequest | null>(() =>
    sessionStorage.getItem(keptKey('compose', 'new')) === null ? null : {},
  );
  useEffect(() => onOpenPanel(setRequest), []);
  useStreamEvents(({ type, data }) => {
    if (type === 'draft.failed')
      void import('./failed-send.js').then(({ tellFailedSend }) => tellFailedSend(data));
  });
  if (request === null) return null;
  return (
    <Suspense fallback={null}>
      <NewMessagePanel request={request} onClose={() => setRequest(null)} />
    </Suspense>
  );
}
