import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { signedInAgain } from '../api/session.js';
import { readStream, type StreamEvent } from './event-reader.js';

/** State of the connection that all tabs share. */
export interface Connection {
  readonly isOpen: boolean;
  /** When it was last known to be open, in epoch milliseconds; null before that. */
  readonly lastSeen: number | null;
}

type Message =
  | { readonly event: StreamEvent }
  | { readonly isOpen: boolean }
  | { readonly asks: true };

let connection: Connection = { isOpen: true, lastSeen: null };
const eventListeners = new Set<(event: StreamEvent) => void>();
const connectionListeners = new Set<() => void>();

/**
 * Follows the members' stream. A browser opens six connections to a host, so one tab reads the stream and tells the
 * others of the same member; when it is closed, another takes its place.
 */
export function followStream(memberId: string): () => void {
  const name = `postroom-stream-${memberId}`;
  const ending = new AbortController();
  const { signal } = ending;
  const channel = new BroadcastChannel(name);
  let isLeader = false;
  const tell = (message: Message): void => {
    receive(message);
    channel.postMessage(message);
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if ('asks' in data) {
      if (isLeader) channel.postMessage({ isOpen: connection.isOpen });
    } else receive(data);
  };
  channel.postMessage({ asks: true });
  navigator.locks
    .request(name, { signal }, () => {
      isLeader = true;
      return readStream(
        {
          onEvent: (event) => tell({ event }),
          onConnection: (isOpen) => tell({ isOpen }),
          onSessionEnd: signedInAgain,
        },
        signal,
      );
    })
    .catch(() => undefined);
  return () => {
    ending.abort();
    channel.close();
  };
}

function receive(message: Message): void {
  if ('isOpen' in message) {
    const lastSeen = message.isOpen || connection.isOpen ? Date.now() : connection.lastSeen;
    connection = { isOpen: message.isOpen, lastSeen };
    for (const listener of connectionListeners) listener();
  } else if ('event' in message) {
    for (const listener of eventListeners) listener(message.event);
  }
}

/** Calls the latest `listener` with each event of the stream, as long as the component is shown. */
export function useStreamEvents(listener: (event: StreamEvent) => void): void {
  const latest = useEffectEvent(listener);
  useEffect(() => {
    const onEvent = (event: StreamEvent): void => latest(event);
    eventListeners.add(onEvent);
    return () => {
      eventListeners.delete(onEvent);
    };
  }, []);
}

export const useConnection = (): Connection =>
  useSyncExternalStore(
    (listener) => {
      connectionListeners.add(listener);
      return () => connectionListeners.delete(listener);
    },
    () => connection,
  );
