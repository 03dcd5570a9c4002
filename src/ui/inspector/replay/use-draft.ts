/* The state of the replay dialog: destination, changes and signature, and the request that they make. */

import { useState } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import { readDestination } from '../../kit/destination.ts';
import { type Draft, editOf, newDraft } from './changes.ts';
import { type Destination, lastDestination, listDestinations } from './replay-destinations.ts';
import type { Receiver, ReplayRequest } from './request.ts';

export type SigningDraft = {
  mode: 'none' | 'fresh' | 'tamper';
  /** The id of a stored secret; empty = the typed one. */
  secretId: string;
  secret: string;
  newId: boolean;
};

export type ReplayDraft = ReturnType<typeof useReplayDraft>;

const asCaptured: SigningDraft = { mode: 'none', secretId: '', secret: '', newId: false };

/** @param event undefined while it is loading, and for a batch, which is sent unchanged */
export function useReplayDraft(endpointId: string, event: EventDetail | undefined, initialUrl: string | undefined) {
  const [start] = useState(() => startOf(endpointId, initialUrl));
  const [typed, setTyped] = useState(start.url);
  /** Undefined until it is chosen in the dialog. */
  const [chosenAppend, setAppendPath] = useState<boolean>();
  const [changes, setChanges] = useState<Draft>();
  const [signing, setSigning] = useState<SigningDraft>(asCaptured);
  const [listener, setListener] = useState<string>();
  const destination = readDestination(typed);
  const known = listDestinations(endpointId).find(({ url }) => url === destination.url);
  const appendPath = chosenAppend ?? (typed === start.url ? start : known)?.appendPath ?? true;
  const draft = changes ?? (event && newDraft(event));
  const edit = event && draft && editOf(event, draft);
  const receiver = receiverOf(listener, destination.url, appendPath);
  const request: ReplayRequest | undefined = receiver && {
    ...receiver,
    ...(edit && { edit }),
    ...(signing.mode !== 'none' && { sign: signOf(signing.mode, signing) }),
  };
  return {
    typed,
    setTyped,
    /** Whether the URL is still the one with which the dialog opened. */
    isUntouched: typed === start.url,
    destination,
    /** The listener that it goes to; undefined: to the URL. */
    listener,
    setListener(name: string | undefined): void {
      setListener(name);
      // Stored secrets do not sign for listeners.
      if (name !== undefined) setSigning(old => ({ ...old, secretId: '' }));
    },
    appendPath,
    setAppendPath,
    draft,
    setDraft: setChanges,
    reset: () => setChanges(undefined),
    edit,
    signing,
    setSigning: (change: Partial<SigningDraft>) => setSigning(old => ({ ...old, ...change })),
    request,
  };
}

/** A URL that the dialog is opened for is complete. */
function startOf(endpointId: string, initialUrl: string | undefined): Destination {
  if (initialUrl !== undefined) return { url: initialUrl, appendPath: false };
  return lastDestination(endpointId) ?? { url: '', appendPath: true };
}

function receiverOf(listener: string | undefined, url: string, appendPath: boolean): Receiver | undefined {
  if (listener !== undefined) return { listener };
  return url === '' ? undefined : { url, appendPath };
}

const signOf = (mode: 'fresh' | 'tamper', { secretId, secret, newId }: SigningDraft) => ({
  mode,
  ...(secretId === '' ? { secret } : { secretId }),
  ...(newId && { newId }),
});
